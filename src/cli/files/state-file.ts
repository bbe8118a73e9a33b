import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { wallMs } from '../../monitor/clock.ts';
import type { Acknowledgements } from '../../triage/acknowledgements.ts';
import type { Acknowledgement } from '../../triage/problem.ts';
import type { Preferences, TablePreferences } from '../../tui/list/list-state.ts';
import { errorCodeOrMessage } from '../errors.ts';
import { requirePrivateFolder, statePath } from './state-folder.ts';
import { readTextFile } from './text-files.ts';

const columns = z.object({
  isWide: z.boolean(),
  choice: z.object({
    order: z.array(z.string()),
    hidden: z.array(z.string()),
    wanted: z.array(z.string()),
    widths: z.array(z.tuple([z.string(), z.number().int()])),
  }),
});
const table = z.object({
  columns: columns.optional(),
  sort: z.object({ columnId: z.string(), isReversed: z.boolean() }).optional(),
});
const acknowledgement = z.object({
  note: z.string(),
  atMs: z.number(),
  check: z.string(),
  severity: z.enum(['critical', 'warning']),
});
/** Leaves out parts that are not as expected: the file can be deleted at any time, or be of another version. */
const stateSchema = z.object({
  tables: z.record(z.string(), table.optional().catch(undefined)).catch({}),
  graphWindow: z.number().int().min(0).optional().catch(undefined),
  /** `undefined` stands for all clusters at once. */
  lastContext: z.string().optional().catch(undefined),
  /** Acknowledgements by cluster and by problem. */
  acknowledged: z.record(z.string(), z.record(z.string(), acknowledgement)).catch({}),
});

type State = z.output<typeof stateSchema>;

/** Returns `undefined` without a home folder. */
export const stateFilePath = (environment: NodeJS.ProcessEnv): string | undefined =>
  statePath(environment, 'state.json');

const maxBytes = 1_048_576;

async function readState(file: string): Promise<State> {
  try {
    return stateSchema.parse(JSON.parse(await readTextFile({ path: file, name: file, maxBytes, content: file })));
  } catch {
    return { tables: {}, acknowledged: {} };
  }
}

/** Returns the context that was on the screen last; `undefined` if that was all clusters, or none is known. */
export async function readLastContext(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : (await readState(file)).lastContext;
}

const tableOf = ({ columns: stored, sort }: NonNullable<State['tables'][string]>): TablePreferences => ({
  sort,
  columns: stored && {
    isWide: stored.isWide,
    choice: {
      order: stored.choice.order,
      hidden: new Set(stored.choice.hidden),
      wanted: new Set(stored.choice.wanted),
      widths: new Map(stored.choice.widths),
    },
  },
});

const withUsual = ({ columns, sort }: TablePreferences, usual?: TablePreferences): TablePreferences => ({
  columns: columns ?? usual?.columns,
  sort: sort ?? usual?.sort,
});

const storedTable = ({ columns: shown, sort }: TablePreferences): NonNullable<State['tables'][string]> => ({
  ...(sort !== undefined && { sort }),
  ...(shown !== undefined && {
    columns: {
      isWide: shown.isWide,
      choice: {
        order: [...shown.choice.order],
        hidden: [...shown.choice.hidden],
        wanted: [...shown.choice.wanted],
        widths: [...shown.choice.widths],
      },
    },
  }),
});

export interface SavedPreferences extends Preferences {
  /** Returns what was acknowledged on a cluster, by the name of its context or its URL. */
  readonly acknowledgements: (cluster: string) => Acknowledgements;
  /** Saves an acknowledgement; `undefined` forgets it. */
  readonly acknowledge: (cluster: string, key: string, acknowledgement: Acknowledgement | undefined) => void;
  /** Saves the context that is on the screen; `undefined` for all clusters at once. */
  readonly noteContext: (name: string | undefined) => void;
  /** Resolves when all changes are in the file, or could not be written. */
  readonly whenSaved: () => Promise<void>;
}

/**
 * Opens what the operator chose last, else what is `usual`, and saves what is chosen. Each change replaces only its own
 * part of the file, so that two monitors do not lose what the other saved. A file that cannot be written is left alone.
 */
export async function openPreferences(
  file: string | undefined,
  usual: Preferences['tables'] = {},
): Promise<SavedPreferences> {
  const stored: State = file === undefined ? { tables: {}, acknowledged: {} } : await readState(file);
  let current: Pick<Preferences, 'tables' | 'graphWindow'> = {
    tables: {
      ...usual,
      ...Object.fromEntries(
        Object.entries(stored.tables).flatMap(([name, each]) =>
          each === undefined ? [] : [[name, withUsual(tableOf(each), usual[name])]],
        ),
      ),
    },
    graphWindow: stored.graphWindow,
  };
  let { acknowledged, lastContext: noted } = stored;
  let last: Promise<void> = Promise.resolve();
  const saveChange = (change: (before: State) => State): void => {
    if (file !== undefined) last = last.then(() => save(file, change)).catch(() => {});
  };
  return {
    get tables() {
      return current.tables;
    },
    get graphWindow() {
      return current.graphWindow;
    },
    onChange(change) {
      current = { ...current, ...change, tables: { ...current.tables, ...change.tables } };
      saveChange(({ tables, ...before }) => ({
        ...before,
        tables: {
          ...tables,
          ...Object.fromEntries(
            Object.entries(change.tables ?? {}).map(([name, preferences]) => [name, storedTable(preferences)]),
          ),
        },
        ...(change.graphWindow !== undefined && { graphWindow: change.graphWindow }),
      }));
    },
    acknowledgements: (cluster) => new Map(Object.entries(acknowledged[cluster] ?? {})),
    acknowledge(cluster, key, acknowledgement) {
      const put = (all: State['acknowledged']): State['acknowledged'] => {
        const { [key]: _, ...others } = all[cluster] ?? {};
        const kept =
          acknowledgement === undefined
            ? others
            : Object.fromEntries(
                [
                  ...Object.entries(others),
                  [key, { ...acknowledgement, atMs: wallMs(acknowledgement.atMs) }] as const,
                ].slice(-maxAcknowledgements),
              );
        return { ...all, [cluster]: kept };
      };
      acknowledged = put(acknowledged);
      saveChange((before) => ({ ...before, acknowledged: put(before.acknowledged) }));
    },
    noteContext(name) {
      if (name === noted) return;
      noted = name;
      saveChange((before) => ({ ...before, lastContext: name }));
    },
    // The disk may hang.
    whenSaved: () => Promise.race([last, delay(maxSaveMs, undefined, { ref: false })]),
  };
}

const maxSaveMs = 1_000;

/** Limits acknowledgements of a cluster: the oldest are dropped. */
const maxAcknowledgements = 200;

async function save(file: string, change: (before: State) => State): Promise<void> {
  await requirePrivateFolder(path.dirname(file));
  const draft = await openDraft(`${file}.new`);
  try {
    await draft.writeFile(`${JSON.stringify(change(await readState(file)))}\n`);
    await rename(`${file}.new`, file);
  } catch (error) {
    await rm(`${file}.new`, { force: true });
    throw error;
  } finally {
    await draft.close();
  }
}

const draftTries = 40;
const draftWaitMs = 25;

/** Creates the draft, which one monitor has at a time. One that was left behind, as by a crash, is removed. */
async function openDraft(draft: string): Promise<FileHandle> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(draft, 'wx', 0o600);
    } catch (error) {
      if (errorCodeOrMessage(error) !== 'EEXIST' || attempt > draftTries) throw error;
      if (attempt === draftTries) await rm(draft, { force: true });
      else await delay(draftWaitMs);
    }
  }
}
