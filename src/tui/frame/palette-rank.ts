import { composed } from '../../domain/text.ts';
import type { KnownBinding } from '../keys/bindings.ts';

export interface Ranked {
  readonly group: KnownBinding['group'];
  /** The screen that the entry goes to. */
  readonly screenTitle?: string | undefined;
  /** The names of the entry: in its hint, and in its line in the help. */
  readonly names: readonly string[];
  readonly aliases?: readonly string[] | undefined;
  /** Further words, which only find the entry. */
  readonly words?: string | undefined;
}

export const ranks = {
  title: 0,
  alias: 1,
  name: 2,
  titleStart: 3,
  nameStart: 4,
  wordStart: 5,
  aliasStart: 6,
  keywordStart: 7,
  inside: 8,
} as const;

export type Rank = (typeof ranks)[keyof typeof ranks];

/** Whether a text has every word typed, in any order. */
export const matches = (text: string, typed: string): boolean => {
  const lower = composed(text).toLowerCase();
  return composed(typed)
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => lower.includes(word));
};

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);

/** Ranks how well something is meant by what is typed, best first. */
export const rankOf = ({ screenTitle, names, aliases = [], words: others = '' }: Ranked, typed: string): Rank => {
  const text = composed(typed).trim().toLowerCase();
  if (text === '') return ranks.inside;
  const title = screenTitle?.toLowerCase();
  const lower = names.map((name) => composed(name).toLowerCase());
  const words = [title ?? '', ...lower].flatMap(wordsOf);
  // The first word is as good as the whole title: other screens may have it as an alias.
  if (title === text || title?.startsWith(`${text} `) === true) return ranks.title;
  if (aliases.includes(text)) return ranks.alias;
  if (lower.includes(text)) return ranks.name;
  if (title?.startsWith(text) === true) return ranks.titleStart;
  if (lower.some((name) => name.startsWith(text))) return ranks.nameStart;
  if (text.split(/\s+/u).every((part) => words.some((word) => word.startsWith(part)))) return ranks.wordStart;
  if (aliases.some((alias) => alias.startsWith(text))) return ranks.aliasStart;
  return wordsOf(others).some((word) => word.startsWith(text)) ? ranks.keywordStart : ranks.inside;
};

/**
 * Drops what only contains the letters in the middle of a word, such as "backlog" for "ack", unless there is nothing
 * else.
 */
export const meant = <Each extends { readonly rank: Rank }>(
  found: readonly Each[],
  hasOthers: boolean,
): readonly Each[] =>
  hasOthers || found.some(({ rank }) => rank < ranks.inside) ? found.filter(({ rank }) => rank < ranks.inside) : found;

/** Whether something is meant by its name or an alias, not only mentioned. */
export const isNamed = (rank: Rank): boolean => rank < ranks.wordStart || rank === ranks.aliasStart;

/** Sorts best first; of equals the screens, then the order given. */
export const byRank = (
  a: { readonly rank: Rank; readonly group: Ranked['group'] },
  b: { readonly rank: Rank; readonly group: Ranked['group'] },
): number => a.rank - b.rank || Number(a.group !== 'Screens') - Number(b.group !== 'Screens');
