import { describe, expect, it } from 'vitest';
import { byRank, isNamed, matches, meant, type Ranked, rankOf, ranks } from '../../../src/tui/frame/palette-rank.ts';

const screen: Ranked = { group: 'Screens', screenTitle: 'Subscriptions', names: ['Subscriptions'], aliases: ['subs'] };
const action: Ranked = {
  group: 'Actions',
  names: ['disconnect', 'Disconnect the client, or all marked; asks first'],
  aliases: ['kick'],
  words: 'eject backlog',
};

describe('the rank of a command', () => {
  it.each([
    [screen, ' Subscriptions ', 'title'],
    [screen, 'SUBS', 'alias'],
    [action, 'disconnect', 'name'],
    [screen, 'sub', 'titleStart'],
    [action, 'disc', 'nameStart'],
    [action, 'disconnect the', 'nameStart'],
    [action, 'cli', 'wordStart'],
    [action, 'marked dis', 'wordStart'],
    [action, 'ki', 'aliasStart'],
    [action, 'eje', 'keywordStart'],
    [action, 'connect', 'inside'],
    [action, 'ack', 'inside'],
    [action, '', 'inside'],
  ] as const)('%# is by what is typed: %s', (ranked, typed, rank) => {
    expect(rankOf(ranked, typed)).toBe(ranks[rank]);
  });

  it('says whether it is meant by name', () => {
    expect(
      (
        [
          'title',
          'alias',
          'name',
          'titleStart',
          'nameStart',
          'wordStart',
          'aliasStart',
          'keywordStart',
          'inside',
        ] as const
      ).filter((rank) => isNamed(ranks[rank])),
    ).toEqual(['title', 'alias', 'name', 'titleStart', 'nameStart', 'aliasStart']);
  });

  it('leaves out what only has the letters inside a word, unless there is nothing else', () => {
    const inside = { rank: ranks.inside };
    const start = { rank: ranks.keywordStart };
    expect(meant([inside, start], false)).toEqual([start]);
    expect(meant([inside], false)).toEqual([inside]);
    expect(meant([inside], true)).toEqual([]);
  });

  it('puts the best first, and of equals the screens', () => {
    const all = [
      { rank: ranks.inside, group: 'Actions' },
      { rank: ranks.inside, group: 'Screens' },
      { rank: ranks.nameStart, group: 'Program' },
    ] as const;
    expect(all.toSorted(byRank)).toEqual([all[2], all[1], all[0]]);
  });

  it('is only that of what has every word typed', () => {
    expect([matches('Stop the plugin', 'PLUG stop'), matches('Stop the plugin', 'plug start')]).toEqual([true, false]);
  });
});
