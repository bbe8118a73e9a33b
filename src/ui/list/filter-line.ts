import { formatCount, unknownText } from '../../terminal/format.ts';
import { type SafeText, joinSafe, safe } from '../../terminal/safe-text.ts';
import type { TextField } from '../../terminal/text-field.ts';
import { cutText, fit, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, type Span, composeEnds, composeLine } from '../../terminal/line.ts';
import { promptLine, typedText } from '../components/text-prompt.tsx';
import { wrapWords } from '../../terminal/wrap-words.ts';

/** What a filter came to. */
export interface FilterOutcome {
  readonly matching: number;
  /** `undefined` where nothing was read. */
  readonly total: number | undefined;
  /** Raw: quotes what was typed. What is wrong is not applied, so that more rows match. */
  readonly error: string | undefined;
}

const label = safe` / `;

/** More than fit on any line. */
const mostUnits = 1_024;

/** What was typed, as it was typed. */
const typed = (theme: Theme, text: string): SafeText => joinSafe(typedText(theme, text.slice(0, mostUnits)));

/** What is wrong with a filter, in at most `most` lines. */
export const filterErrorLines = (theme: Theme, width: number, error: string, most: number): readonly Line[] => {
  const lines = wrapWords(safe`! ${typed(theme, error)}`, Math.max(2, width - 2));
  const shown = lines.length <= most ? lines : [...lines.slice(0, most - 1), cutText(joinSafe(lines.slice(most - 1), safe` `), width - 2)];
  return shown.map((text) => composeLine(theme, width, [{ text: safe` ` }, { text, role: 'error' }]));
};

const outcomeSpan = ({ matching, total, error }: FilterOutcome): Span =>
  ({ text: total === undefined ? safe`${unknownText} ` : safe`${formatCount(matching)} of ${formatCount(total)} `, role: error !== undefined || matching === 0 ? 'warning' : 'dim' });

/** The filter as it is typed, with how many rows match so far. */
export const filterPromptLine = (theme: Theme, width: number, field: TextField, outcome: FilterOutcome): Line => {
  const languageHelp: Span = { text: safe`text  /regex/  !not  ~fuzzy  column:text  column:>0 `, role: 'dim' };
  const right = field.text === '' && width >= 60 ? languageHelp : outcomeSpan(outcome);
  return promptLine(theme, width, label, field, right);
};

/** The filter that is set. */
export const filterSetLine = (theme: Theme, width: number, filter: string, outcome: FilterOutcome): Line => {
  const right = outcomeSpan(outcome);
  const clear: Span = { text: safe`  Esc clears  `, role: 'dim' };
  const room = width - widthOf(label) - widthOf(right.text) - widthOf(clear.text) - 1;
  const text = typed(theme, filter);
  return composeEnds(
    theme,
    width,
    [{ text: label, role: 'key' }, { text: widthOf(text) > room ? fit(text, Math.max(1, room)) : text, role: 'accent' }],
    [clear, right],
  );
};
