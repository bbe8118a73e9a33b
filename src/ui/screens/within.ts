import { formatClock, formatCount, formatProtocolVersion, unknownText } from '../format.ts';
import { glyphs } from '../glyphs.ts';
import { type GroupingId, type Within, withinName } from '../navigation.ts';
import { type SafeText, safe, trusted } from '../safe-text.ts';
import { cutText } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import { type Line, type Span, composeEnds } from '../widgets/line.ts';
import type { ScreenProps } from './screen.ts';

/** What a list is given that can be narrowed. */
export interface NarrowedScreenProps extends ScreenProps {
  readonly within?: Within | undefined;
}

/** Says above a list what it is narrowed to: `Clients › broker1`; `undefined` for the whole list. */
export const headingOf = (theme: Theme, width: number, title: SafeText, within: Within | undefined, note?: Span): Line | undefined =>
  within === undefined
    ? undefined
    : composeEnds(
      theme,
      width,
      [
        { text: safe` ${title} ${glyphs.crumb} `, role: 'dim' },
        ...crumbs(theme, width, within),
      ],
      // What the list is narrowed to has to stay in sight.
      [...(note === undefined ? [] : [{ text: safe`  ` }, { ...note, text: cutText(note.text, Math.floor(width * 0.55)) }]), { text: safe`  Esc back `, role: 'dim' }],
    );

/** How a grouping is called. */
export const groupingNames: Readonly<Record<GroupingId, SafeText>> = {
  node: safe`node`,
  username: safe`user name`,
  address: safe`address`,
  network: safe`network (/24)`,
  proto: safe`protocol version`,
  prefix: safe`id prefix`,
  topic: safe`topic prefix`,
  client: safe`client`,
  qos: safe`QoS`,
};

/** What a group's rows have in common, as it is shown. */
export const groupValueText = (by: GroupingId, value: string | undefined, text: (raw: string) => SafeText): SafeText => {
  if (value === undefined) {
    return safe`${unknownText} (not known)`;
  }
  return by === 'proto' ? formatProtocolVersion(Number(value)) : text(value);
};

const crumbs = (theme: Theme, width: number, within: Within): readonly Span[] => {
  const text = (raw: string): SafeText => theme.escape(raw, width);
  switch (within.kind) {
    case 'topic':
      return [{ text: safe`topic `, role: 'dim' }, { text: text(within.topic), role: 'title' }];
    case 'found':
      return [{ text: trusted(within.name), role: 'title' }, { text: safe`: ${formatCount(within.clientIds.size)} ids found at ${formatClock(within.atMs)}`, role: 'dim' }];
    case 'groups':
    case 'group': {
      const outer: readonly Span[] = within.of === undefined ? [] : [...crumbs(theme, width, within.of), { text: safe` ${glyphs.crumb} `, role: 'dim' }];
      const name = groupingNames[within.by];
      return within.kind === 'groups'
        ? [...outer, { text: safe`by ${name}`, role: 'title' }]
        : [...outer, { text: safe`${name} `, role: 'dim' }, { text: groupValueText(within.by, within.value, text), role: 'title' }];
    }
    default:
      return [{ text: text(withinName(within)), role: 'title' }];
  }
};
