import { encodeJson } from '../api/dialects/emq-v2/server/encode-values.ts';

/** From the most to the least that is said; `none` says nothing at all. */
export const logLevels = ['debug', 'info', 'warning', 'error', 'none'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Logs one line. The text must hold foreign words only through `quote`. */
export type Log = (level: Exclude<LogLevel, 'none'>, text: string) => void;

/** Characters of a foreign word that a line shows. */
const maxQuoted = 200;

/** A log of one source; `threshold` is asked each time, so that a changed level acts at once. */
export function createLog(source: string, threshold: () => LogLevel, write: (line: string) => void): Log {
  return (level, text) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(threshold())) return;
    write(`${new Date().toISOString()} ${level} ${source} ${text}`);
  };
}

/** A word that somebody else chose, in quotes and printable ASCII, cut when it is long. */
export function quote(word: string): string {
  return word.length <= maxQuoted ? encodeJson(word) : `${encodeJson(word.slice(0, maxQuoted))}...`;
}
