/** Values of one kind that a report must not show, such as client IDs, and what stands for them. */
export interface RedactedKind {
  /** What stands for a value, with a number: `client` for `client-1`. */
  readonly name: string;
  readonly values: Iterable<string>;
}

/** Finds addresses of either version, with or without a port. */
const addressPattern =
  /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[\da-f]{0,4}:){2,7}(?:[\da-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])/giu;

const isWordLike = /[\p{L}\p{N}]/u;

/** In a sentence these are numbers, not IDs. */
export const isSmallNumber = /^\d{1,3}$/u;

/**
 * Returns a function that replaces values by names, the same value by the same name in every text. Longer values go
 * first, so that an ID within another one is not taken for itself; values within longer words stay, because one letter
 * may be an ID, and numbers below 1000 stay within a sentence. Addresses that are in no list are replaced too.
 */
export function createRedactor(kinds: readonly RedactedKind[]): (text: string) => string {
  const names = new Map<string, string>();
  for (const { name, values } of kinds) {
    let count = 0;
    for (const value of new Set(values)) {
      if (value === '' || names.has(value)) continue;
      count += 1;
      names.set(value, `${name}-${count}`);
    }
  }
  const byStart = Map.groupBy(
    [...names.keys()].filter((value) => !isSmallNumber.test(value)).toSorted((a, b) => b.length - a.length),
    (value) => value.slice(0, 4),
  );
  const starts = [...new Set([...byStart.keys()].map((start) => start.length))].toSorted((a, b) => b - a);
  const addresses = new Map<string, string>();

  const startsWithin = (text: string, at: number): boolean =>
    at > 0 && isWordLike.test(text[at - 1] ?? '') && isWordLike.test(text[at] ?? '');
  const endsWithin = (text: string, end: number): boolean =>
    end < text.length && isWordLike.test(text[end - 1] ?? '') && isWordLike.test(text[end] ?? '');

  const valueAt = (text: string, at: number): string | undefined => {
    if (startsWithin(text, at)) return undefined;
    for (const length of starts) {
      const found = byStart
        .get(text.slice(at, at + length))
        ?.find((each) => text.startsWith(each, at) && !endsWithin(text, at + each.length));
      if (found !== undefined) return found;
    }
    return undefined;
  };

  function replaceKnown(text: string): string {
    let result = '';
    for (let at = 0; at < text.length;) {
      const value = valueAt(text, at);
      result += value === undefined ? (text[at] ?? '') : (names.get(value) ?? '');
      at += value?.length ?? 1;
    }
    return result;
  }

  const replaceAddresses = (text: string): string =>
    text.replaceAll(addressPattern, (address) => {
      // Times such as 14:02:31 look like parts of an address.
      if (!address.includes('.') && !address.includes('::') && address.split(':').length < 8) return address;
      const known = addresses.get(address) ?? `unlisted-address-${addresses.size + 1}`;
      addresses.set(address, known);
      return known;
    });

  return (text) => names.get(text) ?? replaceAddresses(replaceKnown(text));
}
