/** A terminal that has not answered for this long will not. */
const maxReplyMs = 1_000;
/** The end of the program waits so long for an answer. */
const maxLateMs = 100;

/** Delays the end while the terminal owes an answer: the shell would take it for typed text. */
export interface ReplyWait {
  readonly noteQuestion: () => void;
  readonly noteAnswer: () => void;
  /** Calls `end` at once, or when the answer is there or too late. */
  readonly before: (end: () => void) => void;
}

export function createReplyWait(): ReplyWait {
  let askedMs: number | undefined;
  let ends: (() => void)[] = [];
  const endAll = (): void => {
    const due = ends;
    ends = [];
    askedMs = undefined;
    for (const end of due) end();
  };
  return {
    noteQuestion: () => {
      askedMs = performance.now();
    },
    noteAnswer: endAll,
    before: (end) => {
      ends.push(end);
      if (askedMs === undefined || performance.now() - askedMs >= maxReplyMs) endAll();
      else setTimeout(endAll, maxLateMs);
    },
  };
}
