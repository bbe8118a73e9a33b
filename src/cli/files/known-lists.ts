import path from 'node:path';
import * as z from 'zod';
import type { ChangeWatch, KnownLists } from '../../timeline/changes.ts';
import { saveFile } from './saved-file.ts';
import { requirePrivateFolder } from './state-folder.ts';
import { readPrivateFile } from './text-files.ts';

const maxBytes = 16_777_216;
/** A program that is killed knew at least what it had read so long before. */
const saveEveryMs = 30_000;

const knownSchema = z.record(
  z.string(),
  z.object({
    readMs: z.number(),
    rows: z.record(
      z.string(),
      z.object({
        name: z.string(),
        node: z.string().optional(),
        rowOnScreen: z.string(),
        values: z.record(z.string(), z.string()),
      }),
    ),
  }),
);

/** What one run of the program knew of the lists that people change, for the next one. */
export interface KnownListsFile {
  /** Returns what was known; nothing if there is no such file, or it cannot be read. */
  read(): Promise<KnownLists>;
  /** Saves what is known whenever that has changed, and every 30 s. Saves nothing that cannot be written. */
  follow(subscribe: (listener: () => void) => () => void, changes: ChangeWatch): { close(): Promise<void> };
}

/** Returns the path of a further file of a cluster, next to the file of its events. */
export function openKnownLists(eventFile: string): KnownListsFile {
  const file = eventFile.replace(/\.ndjson$/u, '.known.json');
  return {
    async read() {
      try {
        return knownSchema.parse(
          JSON.parse(await readPrivateFile({ path: file, name: file, maxBytes, content: file })),
        );
      } catch {
        return {};
      }
    },
    follow(subscribe, changes) {
      let last: Promise<void> = Promise.resolve();
      let savedCount = 0;
      const save = (): void => {
        savedCount = changes.changeCount();
        // Nothing was read: what the run before knew is still the last that is known.
        if (savedCount === 0) return;
        last = last
          .then(async () => {
            await requirePrivateFolder(path.dirname(file));
            await saveFile(file, [JSON.stringify(changes.known())], true);
          })
          .catch(() => {});
      };
      const unsubscribe = subscribe(() => {
        if (changes.changeCount() !== savedCount) save();
      });
      const timer = setInterval(save, saveEveryMs).unref();
      return {
        async close() {
          unsubscribe();
          clearInterval(timer);
          save();
          await last;
        },
      };
    },
  };
}
