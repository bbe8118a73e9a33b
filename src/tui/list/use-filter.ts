import { useState } from 'react';
import type { SearchColumn } from '../../table/column.ts';
import type { ParsedFilter } from '../../table/filter.ts';
import { formatCount, unknownText } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { TextField } from '../../terminal/text-field.ts';
import { cutText, fit, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { CellContext, Column } from '../components/column.ts';
import { promptLine, typedText, useTextField } from '../components/text-prompt.tsx';
import type { ListState } from './list-state.ts';
import { filterTexts } from './texts.ts';
import type { ListControl } from './use-list-state.ts';

export interface FilterPrompt {
  readonly isTyping: boolean;
  readonly field: TextField;
  /** The filter that applies: the typed text, else the one that is set. */
  readonly text: string;
  /** Starts typing; Esc restores this state. */
  readonly open: (state: ListState) => void;
}

/** Shows the filter prompt of a list; the filter applies while it is typed. */
export const useFilterPrompt = ({ state, dispatch }: ListControl): FilterPrompt => {
  // The state to restore when typing is cancelled.
  const [before, setBefore] = useState<ListState | undefined>(undefined);
  const isTyping = before !== undefined;
  const [field, dispatchField] = useTextField({
    isActive: isTyping,
    onAccept: (filter) => {
      dispatch({ type: 'filter', filter: filter.trim() });
      setBefore(undefined);
    },
    onCancel: () => {
      if (before !== undefined) {
        dispatch({ type: 'restore', state: before });
      }
      setBefore(undefined);
    },
  });
  return {
    isTyping,
    field,
    text: isTyping ? field.text : state.filter,
    open: (now) => {
      setBefore(now);
      dispatchField({ type: 'set', text: now.filter });
    },
  };
};

export interface FilterOutcome {
  readonly matching: number;
  /** The number of rows; `undefined` where nothing has been read. */
  readonly total: number | undefined;
  /** Unescaped. With an error no row is shown. */
  readonly error: string | undefined;
}

const label = safe` / `;

/** Longer than any line. */
const maxUnits = 1_024;

const typed = (theme: Theme, text: string): SafeText => joinSafe(typedText(theme, text.slice(0, maxUnits)));

/** Says what is wrong with a filter, in at most `maxLines` lines. */
export const filterErrorLines = (theme: Theme, width: number, error: string, maxLines: number): readonly Line[] => {
  const lines = wrapWords(safe`! ${typed(theme, error)}`, Math.max(2, width - 2));
  const shown =
    lines.length <= maxLines
      ? lines
      : [...lines.slice(0, maxLines - 1), cutText(joinSafe(lines.slice(maxLines - 1), safe` `), width - 2)];
  return shown.map((text) => composeLine(theme, width, [{ text: safe` ` }, { text, role: 'error' }]));
};

const outcomeSpan = ({ matching, total, error }: FilterOutcome): Span => ({
  text:
    total === undefined
      ? safe`${unknownText} `
      : safe`${filterTexts.matches(formatCount(matching), formatCount(total))} `,
  role: error !== undefined || matching === 0 ? 'warning' : 'dim',
});

export const filterPromptLine = (theme: Theme, width: number, field: TextField, outcome: FilterOutcome): Line => {
  const languageHelp: Span = { text: safe`${filterTexts.syntax} `, role: 'dim' };
  const right = field.text === '' && width >= 60 ? languageHelp : outcomeSpan(outcome);
  return promptLine(theme, width, label, field, right);
};

export const filterSetLine = (theme: Theme, width: number, filter: string, outcome: FilterOutcome): Line => {
  const right = outcomeSpan(outcome);
  const clear: Span = { text: safe`  ${filterTexts.clear}  `, role: 'dim' };
  const room = width - widthOf(label) - widthOf(right.text) - widthOf(clear.text) - 1;
  const text = typed(theme, filter);
  return composeEnds(
    theme,
    width,
    [
      { text: label, role: 'key' },
      { text: widthOf(text) > room ? fit(text, Math.max(1, room)) : text, role: 'accent' },
    ],
    [clear, right],
  );
};

/** The width in which cells are printed when they are searched. */
const searchedWidth = 200;

/** Returns columns for sorting and searching; `dataNow` is called when a cell needs its data. */
export const searchColumns = <Row, Data>(
  theme: Theme,
  columns: readonly Column<Row, Data>[],
  dataNow: () => Data,
): readonly SearchColumn<Row>[] => {
  let noteRead = (): void => {};
  const context: CellContext<Data> = {
    theme,
    width: searchedWidth,
    get data() {
      noteRead();
      return dataNow();
    },
    text: (raw) => theme.escape(raw),
    ends: (raw) => theme.escape(raw),
  };
  return columns.map(
    ({ id, header, name = header, aliases, tieBreak, value, text, format, unit, age }): SearchColumn<Row> => ({
      id,
      name: name === '' ? undefined : name,
      aliases,
      // Absent where unset: the name of the row breaks other ties.
      ...(tieBreak !== undefined && { tieBreak }),
      unit,
      age: age === undefined ? undefined : (row) => age(row, dataNow()),
      value,
      text,
      print: (row, onDataRead) => {
        noteRead = onDataRead;
        return format(row, context);
      },
    }),
  );
};

/**
 * Returns the exact id typed as a filter; `undefined` when the filter is more than plain text. Any id can be typed in
 * quotes.
 */
export const typedId = (text: string, { terms, error }: ParsedFilter): string | undefined => {
  const typed = text.trim();
  const isPlain =
    terms.length > 0 &&
    error === undefined &&
    terms.every(({ mode, isInverse, column }) => mode === 'text' && !isInverse && column === undefined);
  if (!isPlain) {
    return undefined;
  }
  // Filter terms are lower-case; an id is not.
  const quoted = /^"([^"]+)"?$/.exec(typed)?.[1];
  return quoted ?? typed;
};
