import type { ParsedFilter } from '../../table/filter.ts';

/**
 * The id that somebody typed into the filter, exactly; `undefined` when the filter says more than
 * plain text. In quotes, any id can be typed.
 */
export const typedId = (text: string, { terms, error }: ParsedFilter): string | undefined => {
  const typed = text.trim();
  const isPlain = terms.length > 0 && error === undefined && terms.every(({ mode, isInverse, column }) => mode === 'text' && !isInverse && column === undefined);
  if (!isPlain) {
    return undefined;
  }
  // The terms themselves are lower-case; an id is not.
  const quoted = /^"([^"]+)"?$/.exec(typed)?.[1];
  return quoted ?? typed;
};

/** Whether what was typed is rather a topic filter than a client id: it has levels or wildcards. */
export const looksLikeTopic = (typed: string): boolean => /[/+#]/.test(typed);
