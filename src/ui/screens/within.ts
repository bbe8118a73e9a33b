import { glyphs } from '../glyphs.ts';
import { type Within, withinName } from '../navigation.ts';
import { type SafeText, safe } from '../safe-text.ts';
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
        { text: safe` ${title} ${glyphs.crumb} ${within.kind === 'topic' ? safe`topic ` : safe``}`, role: 'dim' },
        { text: theme.escape(withinName(within), width), role: 'title' },
      ],
      // What the list is narrowed to has to stay in sight.
      [...(note === undefined ? [] : [{ text: safe`  ` }, { ...note, text: cutText(note.text, Math.floor(width * 0.55)) }]), { text: safe`  Esc back `, role: 'dim' }],
    );
