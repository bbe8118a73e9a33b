import { unknownText } from '../../terminal/format.ts';
import { speechTexts } from './texts.ts';

/** The order when several things change at once. */
const ranks = ['announcement', 'title', 'dialog', 'content', 'row', 'message'] as const;

export type SpeechRank = (typeof ranks)[number];

export interface Spoken {
  readonly rank: SpeechRank;
  /**
   * The content is said again when the key changes. Without a key, lines that were not there before are said, and the
   * line of the cursor.
   */
  readonly key?: string | undefined;
  /** Says the content only after a key press, because it also changes by itself. */
  readonly isOnKeyOnly?: boolean | undefined;
  /** May have terminal codes and frames. */
  readonly lines: () => readonly string[];
}

/** Says as lines of text what changes on the screen. */
export interface Speaker {
  /** Replaces what the same `slot` showed before. */
  show(slot: object, spoken: Spoken): void;
  hide(slot: object): void;
  /** Says a sentence once. */
  announce(text: string): void;
  /** Says what changed by a key sooner than what changed by itself. */
  noteKey(): void;
  /** Says every line of the screen. */
  readScreen(): void;
  /** Says what is still to be said. */
  end(): void;
}

export interface SpeakerOptions {
  /** Called with a line without its end. */
  readonly write: (line: string) => void;
  /** The rows of the screen. */
  readonly screen: () => readonly string[];
  readonly setTimer: (run: () => void, milliseconds: number) => () => void;
}

/** The screen must stand still for so long before changes are said, so that a word is not said for each of its letters. */
const quietMs = 120;
/** Text that never stands still is said so often. */
const patienceMs = 2_000;

interface Slot {
  spoken: Spoken;
  said:
    | { readonly key: string | undefined; readonly lines: ReadonlySet<string>; readonly cursorLine: string | undefined }
    | undefined;
}

export function createSpeaker({ write, screen, setTimer }: SpeakerOptions): Speaker {
  const slots = new Map<object, Slot>();
  const announcements: string[] = [];
  let cancelQuiet: (() => void) | undefined;
  let cancelPatience: (() => void) | undefined;
  let hasKey = true;

  const say = (lines: readonly string[]): void => {
    for (const line of lines) write(line);
  };

  function flush(): void {
    cancelQuiet?.();
    cancelPatience?.();
    cancelQuiet = undefined;
    cancelPatience = undefined;
    say(announcements.splice(0));
    for (const rank of ranks) {
      for (const slot of slots.values())
        if (slot.spoken.rank === rank && (hasKey || slot.spoken.isOnKeyOnly !== true || slot.said === undefined))
          say(news(slot));
    }
    hasKey = false;
  }

  function flushSoon(): void {
    cancelQuiet?.();
    cancelQuiet = setTimer(flush, quietMs);
    cancelPatience ??= setTimer(flush, patienceMs);
  }

  return {
    show(slot, spoken) {
      const known = slots.get(slot);
      if (known === undefined) slots.set(slot, { spoken, said: undefined });
      else known.spoken = spoken;
      if (known === undefined || spoken.key === undefined || spoken.key !== known.said?.key) flushSoon();
    },
    hide(slot) {
      const hidden = slots.get(slot);
      slots.delete(slot);
      if (hidden?.spoken.rank !== 'dialog') return;
      // Back on the screen, one hears where one is.
      for (const other of slots.values()) if (other.spoken.rank === 'row') other.said = undefined;
      flushSoon();
    },
    announce(text) {
      announcements.push(...spokenLines([text]));
      flushSoon();
    },
    noteKey() {
      hasKey = true;
    },
    readScreen() {
      flush();
      say(spokenLines(screen()));
    },
    end: flush,
  };
}

/** Returns what a slot has to say, which counts as said then. */
function news(slot: Slot): readonly string[] {
  const {
    spoken: { key, lines: read },
    said,
  } = slot;
  if (key !== undefined && key === said?.key) return [];
  const texts = read();
  const lines = spokenLines(texts);
  const cursor = texts.find(hasCursor);
  const cursorLine = cursor === undefined ? undefined : spokenLine(cursor);
  slot.said = { key, lines: new Set(lines), cursorLine };
  if (key !== undefined || said === undefined) return lines;
  return lines.filter((line) => !said.lines.has(line) || (line === cursorLine && line !== said.cursorLine));
}

// oxlint-disable-next-line no-control-regex
const terminalCodes = /\u001B(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/gu;
/** Matches lines of boxes, blocks, triangles and circles of a frame, and dots of Braille. */
const drawing = /[\u2500-\u259F\u25A0-\u25FF\u2800-\u28FF]/gu;
/** Matches the cursor, with the border of a panel before it. */
const cursorStart = /^[\s\u2502]*\u25B8/u;

const withoutCodes = (text: string): string => text.replace(terminalCodes, '');

const hasCursor = (text: string): boolean => cursorStart.test(withoutCodes(text));

/** Words for signs that stand alone. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/(?<=^|\s)!(?=\s|$)/gu, speechTexts.attention],
  [new RegExp(`(?<=^|\\s)${unknownText}(?=[\\s,]|$)`, 'gu'), speechTexts.unknown],
];

/** Writes a line of the screen as it is said: columns become parts of a sentence, what is only drawn is left out. */
export const spokenLine = (text: string): string =>
  signs.reduce(
    (said, [sign, word]) => said.replace(sign, word),
    withoutCodes(text).replace(drawing, '  ').replace(/·+/gu, '  ').trim().replace(/ {2,}/gu, ', '),
  );

const spokenLines = (texts: readonly string[]): readonly string[] =>
  texts.map(spokenLine).filter((line) => /[\p{L}\p{N}]/u.test(line));
