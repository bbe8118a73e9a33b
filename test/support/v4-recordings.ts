import { readFileSync } from 'node:fs';
import { answer, type RawScript } from './raw-http-server.ts';

/** A recorded answer (`test/fixtures/recordings/v4/README.md`). */
export interface V4Recording {
  readonly file: string;
  readonly method: string;
  readonly path: string;
  readonly login: string;
  readonly requestBody: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function read(broker: string): readonly V4Recording[] {
  const folder = new URL(`../fixtures/recordings/v4/${broker}/`, import.meta.url);
  return readFileSync(new URL('INDEX.tsv', folder), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [file = '', method = '', path = '', login = '', requestBody = ''] = line.split('\t');
      const text = readFileSync(new URL(file, folder), 'utf8');
      const end = text.indexOf('\r\n\r\n');
      const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
      return {
        file,
        method,
        path,
        login,
        requestBody,
        status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(statusLine)?.[1]),
        headers: Object.fromEntries(
          lines
            .map((each): [string, string] => [
              each.slice(0, each.indexOf(':')).toLowerCase(),
              each.slice(each.indexOf(':') + 1).trim(),
            ])
            .filter(([name]) => name !== 'connection' && name !== 'content-length'),
        ),
        body: text.slice(end + 4),
      };
    });
}

export const emqx4Recordings = read('emqx-4.4');
export const nanoMqRecordings = read('nanomq-0.25');

/** Returns the recording whose file begins with `start`. */
export function v4Recording(recordings: readonly V4Recording[], start: string): V4Recording {
  const found = recordings.find(({ file }) => file.startsWith(start));
  if (found === undefined) throw new Error(`no recording ${start}`);
  return found;
}

/** Recordings that were made at the port of the dashboard. */
const isOfDashboard = ({ file }: V4Recording): boolean => /^(?:11\d|120|28[2-9]|29\d|30[01])-/u.test(file);

/**
 * Answers as recorded, whatever the query. Of equal requests the first one counts, at the port of the dashboard that
 * which was made there.
 */
export function v4Script(
  recordings: readonly V4Recording[],
  port: 'management' | 'dashboard' = 'management',
): RawScript {
  const own = recordings.filter((each) => each.login === 'basic' && isOfDashboard(each) === (port === 'dashboard'));
  const others =
    port === 'dashboard' ? recordings.filter((each) => each.login === 'basic' && !isOfDashboard(each)) : [];
  const answers = new Map<string, Buffer>();
  for (const { method, path, status, body, headers } of [...own, ...others]) {
    const line = `${method} ${path.split('?')[0] ?? ''}`;
    if (!answers.has(line)) answers.set(line, answer(status, body, headers));
  }
  return {
    '*': ({ method, path, headers }) =>
      headers.has('authorization')
        ? (answers.get(`${method} ${path.split('?')[0] ?? ''}`) ?? answer(404, 'Not found.'))
        : answer(401, 'UNAUTHORIZED'),
  };
}
