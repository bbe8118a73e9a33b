import { readdirSync, readFileSync } from 'node:fs';
import { answer } from '../../../support/raw-http-server.ts';

/** One exchange with a real broker, as it was kept. */
export interface Recording {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly requestBody: string | null;
  readonly answered: boolean;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const root = new URL('../../../fixtures/recordings/', import.meta.url);

/** Every recording, by folder and file name without `.json`: `cluster/get-users`. */
export function loadRecordings(): ReadonlyMap<string, Recording> {
  const recordings = new Map<string, Recording>();
  // Those of the other APIs are raw.
  for (const folder of readdirSync(root).filter((name) => !/^v\d/u.test(name))) {
    for (const file of readdirSync(new URL(`${folder}/`, root))) {
      const name = `${folder}/${file.replace(/\.json$/u, '')}`;
      recordings.set(name, {
        ...(JSON.parse(readFileSync(new URL(`${folder}/${file}`, root), 'utf8')) as Recording),
        name,
      });
    }
  }
  return recordings;
}

/** The answer's bytes; `undefined` when the broker closed the connection instead. */
export function replay(recording: Recording): Buffer | undefined {
  return recording.answered ? answer(recording.status ?? 0, recording.body, recording.headers) : undefined;
}
