import { useState } from 'react';
import type { SearchColumn } from '../../table/column.ts';
import type { ParsedFilter } from '../../table/filter.ts';
import { formatCount, unknownText } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { TextField } from '../../terminal/text-field.ts';
import { cutText, fit, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { CellContext } from '../components/column.ts';
import { promptLine, typedText } from '../components/text-prompt.tsx';
import { useTextField } from '../hooks/use-text-field.ts';
import type { ListColumn } from './use-list.tsx';
import type { ListState } from './list-state.ts';
import type { ListControl } from './use-list-state.ts';

export interface FilterPrompt {
  readonly isTyping: boolean;
  readonly field: TextField;
  /** The filter that applies now: what is typed so far, else what is set. */
  readonly text: string;
  /** Begins to type; Esc goes back to the list as it is in this state. */
  readonly open: (state: ListState) => void;
}

/** The filter of a list, which applies while it is typed. */
export const useFilterPrompt = ({ state, dispatch }: ListControl): FilterPrompt => {
  // The list as it was when the prompt opened.
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
const maxUnits = 1_024;

/** What was typed, as it was typed. */
const typed = (theme: Theme, text: string): SafeText => joinSafe(typedText(theme, text.slice(0, maxUnits)));

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

/** Cells are searched as they are printed where there is room. */
const searchedWidth = 200;

/** A list's columns for sorting and searching; the data that cells are printed with is read when it is needed. */
export const searchColumns = <Row, Data>(theme: Theme, columns: readonly ListColumn<Row, Data>[], dataNow: () => Data): readonly SearchColumn<Row>[] => {
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
  return columns.map(({ id, header, name = header, value, text, format, align, largest, unit, age }): SearchColumn<Row> => ({
    id,
    name: name === '' ? undefined : name,
    unit: unit ?? (align === 'right' && largest === undefined ? 'count' : undefined),
    age: age === undefined ? undefined : (row) => age(row, dataNow()),
    value,
    text,
    print: (row, onDataRead) => {
      noteRead = onDataRead;
      return format(row, context);
    },
  }));
};

/**
 * The id that somebody typed into the filter, exactly; `undefined` when the filter says more than
 * plain text. In quotes, any id can be typed.
 */
export const typedId = (text: string, { terms, error }: ParsedFilter): string | undefined => {
  const typed = text.trim();
  const isPlain = terms.length > 0 && error === undefined && terms.every(({ mode, isInverse, column }) => mode === 'text' && !isInverse && column === undefined);
  if (!isPlain) {
    return undefined;
  }
  // The terms themselves are lower-case; an id is not.
  const quoted = /^"([^"]+)"?$/.exec(typed)?.[1];
  return quoted ?? typed;
};

/** Whether what was typed is rather a topic filter than a client id: it has levels or wildcards. */
export const looksLikeTopic = (typed: string): boolean => /[/+#]/.test(typed);
