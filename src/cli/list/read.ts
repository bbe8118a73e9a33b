import { type ApiError, asApiError, TimeoutError } from '../../api/errors.ts';
import type { CallOptions, ManagementApi } from '../../api/management-api.ts';
import type { Client, Subscription } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { type Clock, sleep, wallMs } from '../../monitor/clock.ts';
import { createConnectionJoin, createSessionRateTracker, type SessionRow } from '../../resources/sessions/history.ts';
import { refreshOf } from '../../monitor/steps.ts';
import { readTwice } from '../../monitor/polling/repeat.ts';
import { createRequestScheduler } from '../../monitor/polling/request-scheduler.ts';
import { partialText, unusableText } from '../../monitor/scan/missing-rows.ts';
import type { ScanNode } from '../../monitor/scan/scan-node.ts';
import { selectBrokerClock, selectNodes } from '../../resources/nodes/select.ts';
import {
  emptyResource,
  type MonitorState,
  type ResourceState,
  type ScanState,
  wholeCluster,
} from '../../monitor/state.ts';
import { initialState } from '../../monitor/store.ts';
import { zoneSecondsOf } from '../../table/records.ts';
import type { Theme } from '../../terminal/theme.ts';
import { createTriage } from '../../checks/triage.ts';
import type { Finding } from '../../triage/problem.ts';
import { selectQueueLimits } from '../../triage/sessions.ts';
import type { Column } from '../../ui/components/column.ts';
import { brokerClocksOf } from '../../ui/hooks/use-store.ts';
import { withShortNodes } from '../../ui/list/node-names.ts';
import { clientColumns } from '../../ui/screens/clients/columns.ts';
import { listenerColumnsOf } from '../../ui/screens/listeners.tsx';
import { nodeColumns } from '../../ui/screens/nodes/columns.ts';
import { pluginColumns } from '../../ui/screens/plugins/columns.ts';
import { routeListColumns, withShortNames } from '../../ui/screens/routes/routes.tsx';
import { createRouteGrouper, plainRow } from '../../resources/routes/tree.ts';
import { sessionColumns } from '../../ui/screens/sessions.tsx';
import { subscriptionColumns } from '../../ui/screens/subscriptions.tsx';
import { userColumnsOf } from '../../ui/screens/users.tsx';
import { hasAnything, readCluster } from '../once/once.ts';
import { partNames } from '../once/text.tsx';
import { createScanReader, type ScanReader } from '../once/scan-once.ts';
import { listOutputTexts } from '../texts.ts';
import { createListing, type Listing } from './listing.ts';
import { problemColumns } from './problem-columns.ts';
import type { ListResource } from './resources.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { routeScan } from '../../resources/routes/resource.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';
import { subscriptionScan } from '../../resources/subscriptions/resource.ts';
import { selectPlugins, type PluginRow } from '../../resources/plugins/select.ts';
import { selectListeners, type ListenerRow } from '../../resources/listeners/select.ts';
import { reading, watching, withReading } from '../../monitor/query/part.ts';
import { nodes, nodeStats } from '../../resources/nodes/resource.ts';
import type { Scan } from '../../monitor/query/query.ts';
import { readSettings, settings } from '../../resources/settings/resource.ts';
import { listeners } from '../../resources/listeners/resource.ts';
import { stats } from '../../resources/statistics/resource.ts';
import { plugins } from '../../resources/plugins/resource.ts';

export interface ReadListOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly theme: Theme;
  readonly ownUser: string;
  readonly maxRows: number;
  /** Time between the two readings of the sessions, and of the counters behind the problems. */
  readonly rateSeconds: number;
  /** Limits all but the pages of long lists, which have limits of their own. */
  readonly deadlineMs?: number | undefined;
  /** Returns what is known of the cause when the deadline ends requests. */
  readonly whyLost?: (() => string | undefined) | undefined;
  /** Called with the rows of a list of `streamed` as its pages arrive, each once; `false` ends the reading. */
  readonly onRows?: ((rows: Listing) => boolean) | undefined;
}

/** Lists whose rows are final once they are read: others need a second reading, or are grouped. */
export const streamed: ReadonlySet<ListResource> = new Set<ListResource>(['clients', 'subscriptions']);

/** The result of reading a list; `listing` is `undefined` if nothing could be read. */
export interface ReadList {
  readonly listing: Listing | undefined;
  /** What is missing and why, not escaped. */
  readonly missing: readonly string[];
}

const isNotAvailable = ({ kind }: ApiError): boolean => kind === 'not-available';

const notOld = { sinceReadSeconds: 0, oldSecondsOf: () => undefined };

/** Returns a list without rows; that of plugins also has a column for each of `nodes`. */
export function emptyList(resource: ListResource, theme: Theme, nodes: readonly NodeName[] = []): Listing {
  const listing = <Row, Data>(columns: readonly Column<Row, Data>[], data: Data): Listing =>
    createListing({ columns, rows: [], data, theme, zoneSeconds: 0 });
  const clocks = { clockOf: () => undefined };
  switch (resource) {
    case 'clients':
      return listing(clientColumns, clocks);
    case 'sessions':
      return listing(sessionColumns(undefined), clocks);
    case 'subscriptions':
      return listing(subscriptionColumns, undefined);
    case 'routes':
      return listing(routeListColumns, undefined);
    case 'nodes':
      return listing(nodeColumns, notOld);
    case 'listeners':
      return listing(listenerColumnsOf(true, true), undefined);
    case 'plugins':
      return listing(pluginColumns(theme, nodes), { read: new Set<NodeName>(), loading: new Set<NodeName>() });
    case 'users':
      return listing(userColumnsOf(), undefined);
    case 'problems':
      return listing(problemColumns, undefined);
  }
}

/** Reads one list to its end, as its screen does. @throws nothing: what fails is in `missing` */
export async function readList(resource: ListResource, options: ReadListOptions): Promise<ReadList> {
  const { api, clock, theme, ownUser, maxRows, rateSeconds, deadlineMs, whyLost, onRows } = options;
  const { schedule } = createRequestScheduler();
  const deadline = new AbortController();
  const { signal } = deadline;
  const cancelDeadline = deadlineMs === undefined ? () => {} : clock.setTimer(deadlineMs, () => deadline.abort());
  const missing: string[] = [];
  const rates = createSessionRateTracker();
  const triage = createTriage(rates);
  let state: MonitorState = initialState(2);

  function write(patch: Partial<MonitorState>): void {
    state = { ...state, ...patch };
    triage.follow(state);
  }

  const fail = (part: string | undefined, error: ApiError): void => {
    missing.push(listOutputTexts.notRead(part, error.message));
  };

  /** @param isFine whether an error is not reported as missing */
  async function read<T>(
    part: string | undefined,
    request: (call: CallOptions) => Promise<T>,
    isFine: (error: ApiError) => boolean = () => false,
  ): Promise<ResourceState<T>> {
    try {
      const data = await readTwice(
        () =>
          schedule(
            () =>
              request({
                signal,
                onUnusable: (rows) => {
                  missing.push(listOutputTexts.notRead(part, unusableText(rows)));
                },
              }),
            { signal, kind: 'detail' },
          ),
        { clock, signal },
      );
      return { ...emptyResource<T>(), data, updatedAtMs: clock.nowMs() };
    } catch (thrown) {
      const ended = asApiError(thrown);
      const error =
        ended.kind === 'aborted' && deadlineMs !== undefined
          ? new TimeoutError(deadlineMs, { request: ended.request, cause: ended, hint: whyLost?.() })
          : ended;
      if (!isFine(error)) fail(part, error);
      return { ...emptyResource<T>(), error };
    }
  }

  const readNodes = async (): Promise<void> => {
    const [listed, measured, counted] = await Promise.all([
      read(undefined, (call) => api.listNodes(call)),
      read(undefined, (call) => api.listNodeStats(call)),
      read(undefined, (call) => api.listStats(call)),
    ]);
    write({ capabilities: api.capabilities, ...withReading(state, nodes, listed) });
    write(withReading(state, nodeStats, measured));
    write(withReading(state, stats, counted));
  };

  const nodesOf = ({ isOfCluster, expected }: Pick<Scan<unknown>, 'isOfCluster' | 'expected'>): readonly ScanNode[] =>
    isOfCluster
      ? [{ name: wholeCluster, expected: undefined }]
      : selectNodes(state)
          .filter(({ status }) => status !== 'stopped')
          .map(({ name }) => ({ name, expected: expected(state, name) }));

  function reader<Row>(scan: Scan<Row>, onNewRows?: (rows: readonly Row[]) => void): ScanReader<Row> {
    const once = createScanReader({
      api,
      clock,
      schedule,
      scan,
      nodes: nodesOf(scan),
      maxRows,
      onError: () => {},
      onRows: onNewRows,
    });
    return {
      async read() {
        cancelDeadline();
        const ended = await once.read();
        write({ ...watching(state, scan), ...withReading(state, scan, ended) });
        return ended;
      },
      stop: once.stop,
    };
  }

  /** Notes what is missing. @param list the list, where it is not the one asked for */
  function noteMissing(ended: ScanState<unknown>, list?: string): void {
    if (ended.error !== undefined) fail(list, ended.error);
    for (const [node, { error, unusable, ...coverage }] of ended.coverage) {
      const part = [list, ...(node === wholeCluster ? [] : [node])].filter((word) => word !== undefined).join(' of ');
      const cut = partialText(coverage);
      const reasons = [error?.message, cut, unusable === undefined ? undefined : unusableText(unusable, coverage.read)];
      for (const reason of reasons)
        if (reason !== undefined) missing.push(listOutputTexts.notRead(part === '' ? undefined : part, reason));
    }
  }

  /** Reads rows. @param list makes a list of some of them, where they are wanted as they arrive */
  async function readRows<Row>(
    scan: Scan<Row>,
    list?: (rows: readonly Row[]) => Listing,
  ): Promise<readonly Row[] | undefined> {
    let hasEnough = false;
    const once = reader(
      scan,
      onRows &&
        list &&
        ((rows) => {
          if (hasEnough || onRows(list(rows))) return;
          hasEnough = true;
          once.stop();
        }),
    );
    const ended = await once.read();
    once.stop();
    if (!hasEnough) noteMissing(ended);
    return hasRead(ended) ? ended.rows : undefined;
  }

  async function readSessions(): Promise<readonly SessionRow[] | undefined> {
    if (api.capabilities?.settings === true && api.capabilities.queueLimitSetting !== undefined) {
      // Only the limit of the queues comes from it, and some clusters have no such list.
      const allSettings = await read(listOutputTexts.settings, (call) => readSettings(api, call), isNotAvailable);
      write(withReading(state, settings, allSettings));
    }
    const scan = reader(sessionScan);
    const clients = reader(clientScan);
    const first = await scan.read();
    const readAtMs = clock.monotonicMs();
    rates.update(first, refreshOf(api.capabilities));
    let last = first;
    if (hasRead(first)) {
      noteMissing(await clients.read(), listOutputTexts.clients);
      // A list that failed once is not worth a second load.
      if (first.phase === 'complete' && first.leftOut.size === 0) {
        await sleep(clock, Math.max(0, readAtMs + rateSeconds * 1_000 - clock.monotonicMs()), signal);
        last = await scan.read();
      }
    }
    scan.stop();
    clients.stop();
    noteMissing(last);
    if (!hasRead(last)) return undefined;
    return createConnectionJoin()(
      rates.update(last, refreshOf(api.capabilities)),
      reading(state, clientScan),
      reading(state, nodes),
      triage.offline(),
      selectQueueLimits(state),
      triage.recentTrouble(),
    );
  }

  const listOf = <Row, Data>(columns: readonly Column<Row, Data>[], rows: readonly Row[], data: Data): Listing =>
    createListing({
      columns,
      rows,
      data,
      theme,
      zoneSeconds: zoneSecondsOf(selectBrokerClock(state, undefined, clock.nowMs()), wallMs(clock.nowMs())),
    });

  const listed = <Row, Data>(
    columns: readonly Column<Row, Data>[],
    rows: readonly Row[] | undefined,
    data: Data,
  ): Listing | undefined => (rows === undefined ? undefined : listOf(columns, rows, data));

  async function readListing(): Promise<Listing | undefined> {
    // It also signs in: API v5 lists users only to a session.
    await readNodes();
    if (resource === 'problems') {
      if (missing.length > 0 && !hasAnything({ state })) return undefined;
      missing.length = 0;
      cancelDeadline();
      const reading = await readCluster(api, { clock, rateSeconds, maxRows });
      const isRead = hasAnything(reading);
      for (const { part, message } of reading.errors)
        missing.push(listOutputTexts.notRead(isRead ? partNames[part] : undefined, message));
      for (const part of reading.tooLong) missing.push(listOutputTexts.notRead(part, listOutputTexts.tooLong));
      return listed<Finding, undefined>(problemColumns, isRead ? reading.report.problems : undefined, undefined);
    }
    const names = selectNodes(state).map(({ name }) => name);
    const clocks = brokerClocksOf(() => state, reading(state, nodes), clock.nowMs());
    switch (resource) {
      case 'nodes': {
        const isRead = reading(state, nodes).data !== undefined || reading(state, nodeStats).data !== undefined;
        return listed(nodeColumns, isRead ? selectNodes(state) : undefined, notOld);
      }
      case 'listeners': {
        write(withReading(state, listeners, await read(undefined, (call) => api.listListeners(call))));
        return listed<ListenerRow, undefined>(
          withShortNodes(listenerColumnsOf(true, true), ({ node }) => node, names),
          selectListeners(state),
          undefined,
        );
      }
      case 'users': {
        const { data } = await read(undefined, (call) => api.listUsers(call));
        return listed(
          userColumnsOf(data?.[0]?.attribute),
          data?.map((user) => ({ ...user, isOwn: user.username === ownUser })),
          undefined,
        );
      }
      default:
    }
    if (names.length === 0) return undefined;
    switch (resource) {
      case 'clients': {
        const list = (rows: readonly Client[]): Listing =>
          listOf(
            withShortNodes(clientColumns, ({ node }) => node, names),
            rows,
            clocks,
          );
        const rows = await readRows(clientScan, list);
        return rows && list(rows);
      }
      case 'sessions': {
        const rows = await readSessions();
        return listed(
          withShortNodes(sessionColumns(undefined), ({ session }) => session.node, names),
          rows,
          clocks,
        );
      }
      case 'subscriptions': {
        const list = (rows: readonly Subscription[]): Listing =>
          listOf(
            withShortNodes(subscriptionColumns, ({ node }) => node, names),
            rows,
            undefined,
          );
        const rows = await readRows(subscriptionScan, list);
        return rows && list(rows);
      }
      case 'routes': {
        const rows = await readRows(routeScan);
        return listed(
          withShortNames(routeListColumns, names),
          rows && createRouteGrouper().group(rows).map(plainRow),
          undefined,
        );
      }
      case 'plugins': {
        const running = selectNodes(state).filter(({ status }) => status === 'running');
        await Promise.all(
          running.map(async ({ name }) => {
            const answer = await read(name, (call) => api.listPlugins(name, call));
            write(withReading(state, plugins, answer, name));
          }),
        );
        const { rows, read: answered } = selectPlugins(state);
        return listed<PluginRow, { read: ReadonlySet<string>; loading: ReadonlySet<string> }>(
          pluginColumns(theme, names),
          answered.size === 0 ? undefined : rows,
          { read: answered, loading: new Set() },
        );
      }
    }
  }

  const listing = await readListing().finally(cancelDeadline);
  return { listing, missing: [...new Set(missing)].toSorted(compareNatural) };
}

/** Whether at least one node was read. */
const hasRead = ({ coverage, rows, error }: ScanState<unknown>): boolean =>
  error === undefined &&
  (coverage.size === 0 ||
    rows.length > 0 ||
    [...coverage.values()].some(({ isComplete, cut }) => isComplete || cut !== undefined));
