import { formatCount } from '../../../terminal/format.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import type { ListColumn } from '../../list/use-list.tsx';
import { type RouteTreeRow, wildcardsOf } from './tree.ts';

type RouteColumn = ListColumn<RouteTreeRow>;

/** More levels are not shifted further: the text would leave the screen. */
const mostIndent = 12;
/** More nodes than any cell shows. */
const mostNodes = 40;

const topicColumn = (format: RouteColumn['format']): RouteColumn => ({
  id: 'topic',
  header: safe`TOPIC FILTER`,
  value: ({ id }) => id,
  format,
  width: { min: 24, max: 140, grow: 3 },
  isSticky: true,
});

const wildcard: RouteColumn = {
  id: 'wildcard',
  header: safe`WILDCARD`,
  value: ({ route }) => (route === undefined ? undefined : wildcardsOf(route.topic) !== 'no'),
  format: ({ route }) => (route === undefined ? safe`` : trusted(wildcardsOf(route.topic))),
  width: 10,
  priority: 1,
};

const below: RouteColumn = {
  id: 'filters',
  header: safe`FILTERS`,
  value: ({ filters }) => filters,
  format: ({ filters }) => formatCount(filters),
  align: 'right',
  width: 9,
  priority: 1,
};

const nodes: readonly RouteColumn[] = [
  {
    id: 'nodes',
    header: safe`NODES`,
    value: ({ route }) => route?.nodes.length,
    format: ({ route }) => (route === undefined ? safe`` : formatCount(route.nodes.length)),
    align: 'right',
    width: 7,
    priority: 1,
  },
  {
    id: 'node',
    header: safe`NODE NAMES`,
    value: ({ route }) => route?.nodes.join(', '),
    format: ({ route }, { text }) => (route === undefined ? safe`` : joinSafe(route.nodes.slice(0, mostNodes).map(text), safe`, `)),
    width: { min: 16, max: 100, grow: 2 },
    priority: 2,
  },
];

/** Topic filters and the nodes that have subscribers for them (§2.7). */
export const routeListColumns: readonly RouteColumn[] = [topicColumn(({ label }, { ends }) => ends(label)), wildcard, ...nodes];

/** In brackets, as `+` alone is a wildcard. */
const foldSign = (isOpen: boolean | undefined): SafeText => {
  if (isOpen === undefined) {
    return safe`    `;
  }
  return isOpen ? safe`[-] ` : safe`[+] `;
};

/** The same by topic level, with how many filters there are at and below each. */
export const routeTreeColumns: readonly RouteColumn[] = [
  topicColumn(({ label, depth, isOpen }, { ends }) => {
    const before = safe`${trusted('  '.repeat(Math.min(depth, mostIndent)))}${foldSign(isOpen)}`;
    const after = isOpen === undefined ? safe`` : safe`/`;
    return safe`${before}${ends(label, before.length + after.length)}${after}`;
  }),
  below,
  wildcard,
  ...nodes,
];
