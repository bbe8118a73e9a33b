import { formatCount } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { type SafeText, safe, spaces } from '../../terminal/safe-text.ts';
import { type TextField, hideTyped } from '../../terminal/text-field.ts';
import { fit, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, type Span, composeEnds, composeLine } from '../../terminal/line.ts';
import { titleLine } from '../components/title-line.ts';
import { promptLine } from '../components/text-prompt.tsx';
import { wrapWords } from '../../terminal/wrap-words.ts';
import type { FormField, FormRequest } from './ask.ts';
import { escapeIndented } from './escape-indented.ts';
import { type FormState, type Refused, formValues } from './form-state.ts';

export interface FormView {
  readonly request: FormRequest;
  readonly form: FormState;
  /** What is wrong, where it is time to say it. */
  readonly error: SafeText | undefined;
  readonly isWaiting: boolean;
}

const fieldLine = (theme: Theme, width: number, label: SafeText, field: FormField, text: TextField, isFocused: boolean): Line => {
  if (field.kind === 'choice') {
    const shown = theme.escape(text.text, width);
    return composeLine(theme, width, [
      { text: label, role: isFocused ? 'key' : 'normal' },
      { text: isFocused ? safe`${glyphs.less} ${shown} ${glyphs.more}` : safe`  ${shown}`, role: isFocused ? 'cursor' : 'normal' },
    ]);
  }
  const shown = field.kind === 'hidden' ? hideTyped(text) : text;
  if (isFocused) {
    return promptLine(theme, width, label, shown);
  }
  if (shown.text === '') {
    return composeLine(theme, width, [{ text: label }, { text: field.placeholder ?? safe``, role: 'dim' }]);
  }
  const [first = '', ...others] = field.kind === 'lines' ? shown.text.split('\n') : [shown.text];
  const count = others.length === 0 ? [] : [{ text: safe`  ${formatCount(others.length + 1)} lines`, role: 'dim' } as const];
  return composeEnds(theme, width, [{ text: label }, { text: escapeIndented(theme, first, width) }], count);
};

/** The lines of a text around the one with the cursor, at most `most`, each in a line of its own that is never broken. */
const textLines = (theme: Theme, width: number, label: SafeText, { text, cursor }: TextField, most: number): readonly Line[] => {
  const lines = text.split('\n');
  const before = text.slice(0, cursor).split('\n');
  const at = before.length - 1;
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), lines.length - most));
  const indent = spaces(widthOf(label));
  return lines.slice(first, first + most).map((line, offset) => {
    const lead = offset === 0 ? label : indent;
    if (first + offset !== at) {
      return composeLine(theme, width, [{ text: lead, role: offset === 0 ? 'key' : 'normal' }, { text: escapeIndented(theme, line, width) }]);
    }
    const place: Span | undefined = lines.length < 2 ? undefined : { text: safe`line ${formatCount(at + 1)} of ${formatCount(lines.length)}`, role: 'dim' };
    return promptLine(theme, width, lead, { text: line, cursor: before[at]?.length ?? 0 }, place);
  });
};

const mostHelpLines = 4;

/** Lines of a text that are shown at most. */
const mostTextLines = 8;

/** Why what was typed or pasted does not stand there, also once another field is typed into. */
const refusedText = (fields: readonly FormField[], focus: number, refused: Refused): SafeText => {
  const label = fields[refused.field]?.label;
  const where = refused.field === focus || label === undefined ? safe`Not taken` : safe`Not taken for "${label}"`;
  switch (refused.because) {
    case 'choice': return safe`${where}: it is a choice; ← → step through it, Tab leaves it.`;
    case 'lines': return safe`${where}: what was pasted has several lines, this field one.`;
    case 'length': return safe`${where}: ${formatCount(refused.length)} characters would stand here, ${formatCount(refused.most)} fit.`;
  }
};

/** A form in finished lines, at most `height`: the fields around the focused one, and below them what it is for and what is wrong. */
export const formLines = (theme: Theme, width: number, height: number, { request, form, error, isWaiting }: FormView): readonly Line[] => {
  const { fields } = request;
  const labelWidth = Math.min(Math.floor(width / 3), Math.max(0, ...fields.map(({ label }) => widthOf(label))));
  const isLast = form.focus === fields.length - 1;
  const ownHelp = fields[form.focus]?.help ?? safe``;
  const help = wrapWords(typeof ownHelp === 'function' ? ownHelp(formValues(fields, form)) : ownHelp, Math.max(2, width - 4));
  const foot = [
    // In full where the fields have room beside it.
    ...help.slice(0, Math.max(1, Math.min(mostHelpLines, height - 4 - Math.min(fields.length, 6)))).map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }])),
    composeLine(theme, width, [
      { text: safe`  ` },
      ...(isWaiting ? [{ text: safe`··· reading`, role: 'dim' } as const] : []),
      ...(!isWaiting && form.refused !== undefined ? [{ text: safe`! ${refusedText(fields, form.focus, form.refused)}`, role: 'error' } as const] : []),
      ...(!isWaiting && form.refused === undefined && error !== undefined ? [{ text: safe`! ${error}`, role: form.hasTried ? 'error' : 'dim' } as const] : []),
    ]),
    composeLine(theme, width, [
      { text: safe`  ` },
      { text: safe`Enter`, role: 'key' },
      { text: isLast ? safe` ${request.verb}` : safe` next field` },
      { text: isLast ? safe`  Tab` : safe`  Ctrl-S`, role: 'key' },
      { text: isLast ? safe` fields  ` : safe` go on  ` },
      { text: safe`Esc`, role: 'key' },
      { text: safe` cancel` },
      { text: safe`   ${form.focus + 1} of ${fields.length}`, role: 'dim' },
    ]),
  ];
  const allNotes = (request.notes ?? []).flatMap((note) => wrapWords(note, Math.max(2, width - 4)));
  // Fields before notes: a form that cannot be filled in is of no use.
  const notes = allNotes.slice(0, Math.max(0, height - 1 - foot.length - Math.min(fields.length, 6)));
  const allRoom = Math.max(1, height - 1 - foot.length - notes.length);
  const focused = form.texts[form.focus];
  const lineCount = fields[form.focus]?.kind === 'lines' && focused !== undefined ? focused.text.split('\n').length : 1;
  // The other fields stay in sight, where there is room for both.
  const textRoom = Math.min(lineCount, mostTextLines, Math.max(allRoom - fields.length + 1, Math.min(3, allRoom)));
  const room = Math.max(1, allRoom - textRoom + 1);
  const first = Math.max(0, Math.min(form.focus - Math.floor(room / 2), fields.length - room));
  const shown = fields.slice(first, first + room).flatMap((field, offset) => {
    const index = first + offset;
    const isFocused = index === form.focus;
    const label = safe`${isFocused ? glyphs.cursor : safe` `} ${fit(field.label, labelWidth)}  `;
    const text = form.texts[index] ?? { text: '', cursor: 0 };
    return isFocused && field.kind === 'lines' ? textLines(theme, width, label, text, textRoom) : [fieldLine(theme, width, label, field, text, isFocused)];
  });
  return [
    titleLine(theme, width, request.title),
    ...notes.map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'dim' }])),
    ...shown,
    ...foot,
  ].slice(0, Math.max(1, height));
};

