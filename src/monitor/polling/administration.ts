import { BadAnswerError, NotAvailableError, NotFoundError } from '../../api/errors.ts';
import type { CallOptions, ManagementApi } from '../../api/management-api.ts';
import {
  type AdminUser,
  type Alarm,
  alarmName,
  type ApiKey,
  type Ban,
  type Plugin,
  type PluginSetting,
  type Setting,
} from '../../domain/administration.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { alarmSinceMs } from '../select/administration.ts';
import { selectNodes, selectUnreadNodes } from '../select/nodes.ts';
import { type MonitorState, pluginSettingsKey, type ResourceState, type Watched } from '../state.ts';
import type { StateWriter } from '../store.ts';
import { featureTexts, journalTexts, sourceTexts } from '../texts.ts';
import { createMessagePollers, type MessagePollers } from './messages.ts';
import { listOwnAlarms } from './own-answers.ts';
import { readPages } from './pages.ts';
import { createPoller, createPollerMap, type Poller, type PollerMap, type PollOutcome } from './poller.ts';
import type { RequestScheduler } from './request-scheduler.ts';

export interface AdministrationOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly writer: StateWriter;
  readonly journal: Journal;
  readonly schedule: RequestScheduler['schedule'];
  readonly random: () => number;
  readonly intervalMs: (watched: Watched) => number;
  /** Until a reading that is due fits into the budget of requests. */
  readonly postponeMs: () => number;
  readonly onOutcome: (source: string, outcome: PollOutcome<unknown>) => void;
}

export interface Administration {
  readonly nodePlugins: PollerMap<readonly Plugin[]>;
  readonly nodeSettings: PollerMap<readonly Setting[]>;
  readonly settings: Poller<ByNode<readonly Setting[]>>;
  readonly pluginSettings: PluginSettingsPollers;
  readonly users: Poller<readonly AdminUser[]>;
  readonly alarms: Poller<readonly Alarm[]>;
  readonly endedAlarms: Poller<readonly Alarm[]>;
  readonly bans: Poller<readonly Ban[]>;
  readonly apiKeys: Poller<readonly ApiKey[]>;
  readonly messages: MessagePollers;
}

export interface PluginSettingsPollers {
  get(node: NodeName, plugin: string): Poller<readonly PluginSetting[]>;
  keep(node: NodeName, plugin: string): void;
  release(node: NodeName, plugin: string): void;
}

const maxUnwatched = 64;

/** Turns a 404 into a NotAvailableError: some clusters have no `GET configs`. */
export async function orNotAvailable<T>(what: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (thrown) {
    if (thrown instanceof NotFoundError)
      throw new NotAvailableError(what, { request: thrown.request, cause: thrown, hint: thrown.hint });
    throw thrown;
  }
}

async function readUsers(api: ManagementApi, options: CallOptions): Promise<readonly AdminUser[]> {
  const { urls = [], servingUrl: url } = api;
  if (urls.length < 2 || url === undefined || api.at === undefined) return api.listUsers(options);
  return (await api.at(url).listUsers(options)).map((user) => ({ ...user, url }));
}

export function createAdministration(options: AdministrationOptions): Administration {
  const { api, clock, writer, journal, schedule, random, intervalMs, postponeMs, onOutcome } = options;

  function poller<T>(
    source: string,
    watched: Watched,
    read: (options: CallOptions) => Promise<T>,
    onState: (state: ResourceState<T>) => void,
  ): Poller<T> {
    return createPoller<T>({
      clock,
      random,
      onState,
      intervalMs: () => intervalMs(watched),
      postponeMs,
      read: (signal, onUnusable) =>
        schedule(() => read({ signal, onUnusable }), {
          signal,
          kind: 'detail',
          node: 'node' in watched ? watched.node : undefined,
        }),
      onOutcome: (outcome) => {
        onOutcome(source, outcome);
      },
    });
  }

  const named = new Map<string, readonly [NodeName, string]>();
  const pluginSettings = createPollerMap<readonly PluginSetting[]>({
    maxUnwatched,
    create: (key, onState) => {
      const [node, plugin] = named.get(key) ?? ['', ''];
      return poller(
        sourceTexts.pluginSettings(node, plugin),
        { kind: 'pluginSettings', node, plugin },
        (request) =>
          orNotAvailable(featureTexts.pluginSettings(node, plugin), api.getPluginSettings(node, plugin, request)),
        onState,
      );
    },
    onStates: (states) => {
      for (const key of named.keys()) if (!states.has(key)) named.delete(key);
      writer.write({ pluginSettings: states });
    },
  });

  function name(node: NodeName, plugin: string): string {
    const key = pluginSettingsKey(node, plugin);
    named.set(key, [node, plugin]);
    return key;
  }

  let alarmsRequestedMs = 0;
  const noteAlarms = createAlarmLog(
    journal,
    (alarm) => alarmSinceMs(alarm, writer.state(), clock.nowMs()),
    ({ node }) => node !== undefined && selectUnreadNodes(writer.state(), alarmsRequestedMs).includes(node),
  );

  return {
    nodePlugins: createPollerMap<readonly Plugin[]>({
      maxUnwatched,
      create: (node, onState) =>
        poller(
          sourceTexts.plugins(node),
          { kind: 'nodePlugins', node },
          (request) => api.listPlugins(node, request),
          onState,
        ),
      onStates: (states) => {
        writer.write({ nodePlugins: states });
      },
    }),
    nodeSettings: createPollerMap<readonly Setting[]>({
      maxUnwatched,
      create: (node, onState) =>
        poller(
          sourceTexts.nodeSettings(node),
          { kind: 'nodeSettings', node },
          (request) => orNotAvailable(featureTexts.nodeSettings(node), api.getSettings(node, request)),
          onState,
        ),
      onStates: (states) => {
        writer.write({ nodeSettings: states });
      },
    }),
    settings: poller(
      sourceTexts.settings,
      { kind: 'settings' },
      (request) => orNotAvailable(featureTexts.settings, api.listSettings(request)),
      (settings) => {
        writer.write({ settings });
      },
    ),
    pluginSettings: {
      get: (node, plugin) => pluginSettings.get(name(node, plugin)),
      keep: (node, plugin) => {
        pluginSettings.keep(name(node, plugin));
      },
      release: (node, plugin) => {
        pluginSettings.release(name(node, plugin));
      },
    },
    alarms: createPoller({
      clock,
      random,
      intervalMs: () => intervalMs({ kind: 'alarms' }),
      postponeMs,
      read: (signal) =>
        schedule(
          () => {
            alarmsRequestedMs = clock.nowMs();
            return readAlarms(api, writer.state(), signal);
          },
          { signal, kind: 'detail' },
        ),
      onState: (alarms) => {
        writer.write({ alarms });
      },
      onOutcome: (outcome) => {
        if (outcome.kind !== 'failed') noteAlarms(outcome.data);
        onOutcome(sourceTexts.alarms, outcome);
      },
    }),
    endedAlarms: poller(
      sourceTexts.endedAlarms,
      { kind: 'endedAlarms' },
      (request) => readEndedAlarms(api, request),
      (endedAlarms) => {
        writer.write({ endedAlarms });
      },
    ),
    bans: poller(
      sourceTexts.bans,
      { kind: 'bans' },
      (request) => readBans(api, request),
      (bans) => {
        writer.write({ bans });
      },
    ),
    apiKeys: poller(
      sourceTexts.apiKeys,
      { kind: 'apiKeys' },
      (request) => readApiKeys(api, request),
      (apiKeys) => {
        writer.write({ apiKeys });
      },
    ),
    messages: createMessagePollers(api, writer, poller),
    users: poller(
      sourceTexts.users,
      { kind: 'users' },
      (request) => readUsers(api, request),
      (users) => {
        writer.write({ users });
      },
    ),
  };
}

/** Those of the cluster, or of the nodes that can be asked. @throws ApiError; NotAvailableError where the API has no alarms */
export async function readAlarms(
  api: ManagementApi,
  state: MonitorState,
  signal: AbortSignal,
): Promise<readonly Alarm[]> {
  if (api.listAlarms === undefined) throw new NotAvailableError(featureTexts.alarms);
  const node =
    selectNodes(state).find(({ status }) => status === 'running')?.name ?? (await api.listNodes({ signal }))[0]?.name;
  if (node === undefined) throw new BadAnswerError('a list of nodes without a node');
  return listOwnAlarms(api, node, { signal });
}

/** @throws ApiError; NotAvailableError where the API has no such list, like the next two */
export async function readEndedAlarms(api: ManagementApi, options: CallOptions): Promise<readonly Alarm[]> {
  const list = api.listEndedAlarms?.bind(api);
  if (list === undefined) throw new NotAvailableError(featureTexts.endedAlarms);
  return readPages((page) => list(page, options));
}

/** @param isEnough ends it early */
export async function readBans(
  api: ManagementApi,
  options: CallOptions,
  isEnough?: (bans: readonly Ban[]) => boolean,
): Promise<readonly Ban[]> {
  const list = api.listBans?.bind(api);
  if (list === undefined) throw new NotAvailableError(featureTexts.bans);
  return readPages((page) => list(page, options), isEnough);
}

export async function readApiKeys(api: ManagementApi, options: CallOptions): Promise<readonly ApiKey[]> {
  if (api.listApiKeys === undefined) throw new NotAvailableError(featureTexts.apiKeys);
  return api.listApiKeys(options);
}

const maxNoted = 20;

/** @param sinceMs when an alarm was set, if known @param isUnknown whether the list cannot have an alarm, as its node does not run */
export function createAlarmLog(
  journal: Pick<Journal, 'note'>,
  sinceMs: (alarm: Alarm) => number | undefined,
  isUnknown: (alarm: Alarm) => boolean,
): (alarms: readonly Alarm[]) => void {
  let known: ReadonlyMap<string, Alarm> = new Map();

  function noteAll(
    level: 'warning' | 'info',
    events: readonly { readonly text: string; readonly atMs?: number | undefined }[],
    moreText: (count: number) => string,
  ): void {
    for (const { text, atMs } of events.slice(0, maxNoted)) journal.note(level, text, { atMs });
    if (events.length > maxNoted) journal.note(level, moreText(events.length - maxNoted));
  }

  return (alarms) => {
    const before = known;
    const listed = new Map(alarms.map((alarm) => [alarmName(alarm), alarm]));
    const missing = [...before].filter(([name]) => !listed.has(name));
    const unknown = missing.filter(([, alarm]) => isUnknown(alarm));
    known = new Map([...listed, ...unknown]);
    noteAll(
      'info',
      missing.filter(([name]) => !known.has(name)).map(([name]) => ({ text: journalTexts.alarmCleared(name) })),
      journalTexts.moreAlarmsCleared,
    );
    noteAll(
      'warning',
      alarms
        .filter((alarm) => !before.has(alarmName(alarm)))
        .map((alarm) => ({
          text: journalTexts.alarmSet(alarmName(alarm), alarm.summary ?? alarm.title),
          atMs: sinceMs(alarm),
        })),
      journalTexts.moreAlarmsSet,
    );
  };
}
