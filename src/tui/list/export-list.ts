import type { FormRequest } from '../../actions/requests.ts';
import { createContext } from 'react';
import { type RecordFormat, recordFormats, recordsOf, recordsText } from '../../table/records.ts';
import { formatBytes } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Column } from '../components/column.ts';
import { exportTexts } from './texts.ts';

/** Writes a file that only its owner can read. Rejects with one sentence, also where the file exists and may not be replaced. */
export type SaveFile = (
  typed: string,
  pieces: Iterable<string>,
  mayReplace: boolean,
) => Promise<{ readonly path: string; readonly bytes: number }>;

export interface ListExport {
  readonly save: SaveFile;
  /** Returns how many seconds the broker's clock is ahead of UTC. */
  readonly zoneSeconds: () => number;
}

/** `undefined` where lists cannot be exported. */
export const ListExportContext = createContext<ListExport | undefined>(undefined);

export interface ExportedList<Row, Data> {
  /** The noun for the rows, in the name of the file. */
  readonly name: string;
  /** Rows as listed, with those that are out of sight. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row, Data>[];
  readonly shownIds: readonly string[];
  /** Says what is missing in the rows, or how old they are. */
  readonly caveat: SafeText | undefined;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Writes a time for the name of a file. */
export const stampOf = (nowMs: number): string => {
  const date = new Date(nowMs);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('');
  return `${day}-${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join('')}`;
};

/** Returns the typed name, with the extension unless it has one. */
export const fileNameOf = (file: string, extension: string): string =>
  /\.[a-z]{2,6}$/iu.test(file) || file.endsWith('/') || file.trim() === '' ? file : `${file}.${extension}`;

const fileOf = ({ file = '', format = '' }: Readonly<Record<string, string>>): string => fileNameOf(file, format);

/** Asks for format, columns and file, writes the rows of a list, and says what was written. Sends nothing to the broker. */
export const exportRequest = <Row, Data>(
  theme: Theme,
  { name, rows, columns, shownIds, caveat }: ExportedList<Row, Data>,
  { save, zoneSeconds }: ListExport,
  nowMs: number,
): FormRequest => {
  const countText = exportTexts.rows(rows.length);
  return {
    kind: 'form',
    isLocal: true,
    title: exportTexts.title(countText),
    verb: exportTexts.verb,
    notes: caveat === undefined ? [] : [caveat],
    fields: [
      { id: 'format', label: exportTexts.format, kind: 'choice', choices: recordFormats, help: exportTexts.formatHelp },
      {
        id: 'columns',
        label: exportTexts.columns,
        kind: 'choice',
        choices: ['shown', 'all'],
        help: exportTexts.columnsHelp(shownIds.length, columns.length),
      },
      {
        id: 'file',
        label: exportTexts.file,
        initial: `${name}-${stampOf(nowMs)}`,
        help: (values) => exportTexts.fileHelp(theme.escape(fileOf(values), 200)),
      },
      {
        id: 'replace',
        label: exportTexts.replace,
        kind: 'choice',
        choices: ['no', 'yes'],
        help: exportTexts.replaceHelp,
      },
    ],
    build: (values) => {
      if ((values['file'] ?? '').trim() === '') return { error: exportTexts.noName, field: 'file' };
      return {
        field: 'file',
        later: async () => {
          const chosen = values['columns'] === 'all' ? columns : columns.filter(({ id }) => shownIds.includes(id));
          const format = (values['format'] ?? 'csv') as RecordFormat;
          const { path, bytes } = await save(
            fileOf(values),
            recordsText(format, recordsOf(chosen, rows, zoneSeconds())),
            values['replace'] === 'yes',
          );
          const parts = [
            safe`${countText}, ${exportTexts.columnCount(chosen.length)}, ${formatBytes(bytes)}`,
            ...(caveat === undefined ? [] : [caveat]),
          ];
          return {
            next: {
              kind: 'text',
              title: exportTexts.saved,
              parts: [
                { label: undefined, text: theme.escape(path, 2_000) },
                { label: undefined, text: joinSafe(parts, safe`. `) },
              ],
            },
          };
        },
      };
    },
  };
};
