import { formatCount } from '../format.ts';
import { type SafeText, safe, trusted } from '../safe-text.ts';
import type { TextField } from '../text-field.ts';
import { fit, widthOf } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import { type Line, type Span, composeEnds } from '../widgets/line.ts';
import { promptLine } from '../widgets/text-prompt.tsx';

/** What a filter came to. */
export interface FilterOutcome {
  readonly matching: number;
  readonly total: number;
  /** Raw: quotes what was typed. */
  readonly error: string | undefined;
}

const label = safe` / `;

/** The end of a text, where an error says what is wrong. */
const cutStart = (text: SafeText, width: number): SafeText => {
  if (widthOf(text) <= width) {
    return text;
  }
  // By characters, and no mark without its base.
  const rest = text.match(/\P{M}\p{M}*/gu) ?? [];
  let room = width - 1;
  let from = rest.length;
  for (const character of rest.toReversed()) {
    room -= widthOf(trusted(character));
    if (room < 0) {
      break;
    }
    from -= 1;
  }
  return trusted(`…${rest.slice(from).join('')}`);
};

const outcomeSpan = (theme: Theme, width: number, { matching, total, error }: FilterOutcome): Span =>
  error === undefined
    ? { text: safe`${formatCount(matching)} of ${formatCount(total)} `, role: matching === 0 ? 'warning' : 'dim' }
    : { text: safe`${cutStart(theme.escape(error), Math.floor(width * 0.6))} `, role: 'error' };

/** The filter as it is typed, with how many rows match so far or what is wrong with it. */
export const filterPromptLine = (theme: Theme, width: number, field: TextField, outcome: FilterOutcome): Line => {
  const languageHelp: Span = { text: safe`text  /regex/  !not  ~fuzzy  column:text `, role: 'dim' };
  const right = field.text === '' && width >= 60 ? languageHelp : outcomeSpan(theme, width, outcome);
  return promptLine(theme, width, label, field, right);
};

/** The filter that is set. */
export const filterSetLine = (theme: Theme, width: number, filter: string, outcome: FilterOutcome): Line => {
  const right = outcomeSpan(theme, width, outcome);
  const clear: Span = { text: safe`  Esc clears  `, role: 'dim' };
  const room = width - widthOf(label) - widthOf(right.text) - widthOf(clear.text) - 1;
  const text = theme.escape(filter, room);
  return composeEnds(
    theme,
    width,
    [{ text: label, role: 'key' }, { text: widthOf(text) > room ? fit(text, Math.max(1, room)) : text, role: 'accent' }],
    [clear, right],
  );
};
