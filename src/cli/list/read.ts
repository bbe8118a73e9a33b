import type { ApiError } from '../../api/errors.ts';
import type { ReadingApi } from '../../api/management-api.ts';
import { createTriage } from '../../checks/triage.ts';
import type { Client, Subscription } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { type Clock, sleep, wallMs } from '../../monitor/clock.ts';
import { type QueryKey, reading, watchOf } from '../../monitor/query/part.ts';
import type { Resource, Scan } from '../../monitor/query/query.ts';
import { partialText, unusableText } from '../../monitor/scan/missing-rows.ts';
import { type ScanState, wholeCluster } from '../../monitor/state.ts';
import { refreshOf } from '../../monitor/steps.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { clientColumns } from '../../resources/clients/view/columns.ts';
import { listeners } from '../../resources/listeners/resource.ts';
import { listenerColumnsOf } from '../../resources/listeners/screen.tsx';
import { type ListenerRow, selectListeners } from '../../resources/listeners/select.ts';
import { nodes, nodeStats } from '../../resources/nodes/resource.ts';
import { isWholeList } from '../../resources/nouns.ts';
import { selectBrokerClock, selectNodes } from '../../resources/nodes/select.ts';
import { nodeColumns } from '../../resources/nodes/view/columns.ts';
import { plugins } from '../../resources/plugins/resource.ts';
import { type PluginRow, selectPlugins } from '../../resources/plugins/select.ts';
import { pluginColumns } from '../../resources/plugins/view/columns.ts';
import { routeScan } from '../../resources/routes/resource.ts';
import { routeListColumns, withShortNodeColumn } from '../../resources/routes/screen.tsx';
import { createRouteGrouper, plainRow } from '../../resources/routes/tree.ts';
import { createConnectionJoin, createSessionRateTracker, type SessionRow } from '../../resources/sessions/history.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';
import { sessionColumns } from '../../resources/sessions/screen.tsx';
import { selectQueueLimits } from '../../resources/sessions/select.ts';
import { settings } from '../../resources/settings/resource.ts';
import { stats } from '../../resources/statistics/resource.ts';
import { subscriptionScan } from '../../resources/subscriptions/resource.ts';
import { subscriptionColumns } from '../../resources/subscriptions/screen.tsx';
import { users } from '../../resources/users/resource.ts';
import { userColumnsOf } from '../../resources/users/screen.tsx';
import { zoneSecondsOf } from '../../table/records.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Finding } from '../../triage/problem.ts';
import { triageView } from '../../triage/view.ts';
import type { Column } from '../../tui/components/column.ts';
import { withShortNodes } from '../../resources/view/node-names.ts';
import { createClusterReader } from '../once/cluster-reader.ts';
import { hasAnything, readCluster, type SnapshotOptions } from '../once/once.ts';
import { partName } from '../once/text.tsx';
import { listOutputTexts } from '../texts.ts';
import { createListing, type Listing } from './listing.ts';
import { problemColumns } from './problem-columns.ts';
import type { ListResource } from './resources.ts';
import { wholeListOf } from './whole-lists.ts';
import { brokerClocksOf } from '../../resources/view/broker-clocks.ts';

export interface ReadListOptions {
  readonly api: ReadingApi;
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
  readonly begins?: SnapshotOptions['begins'];
  /** Called with the rows of a list of `streamed` as its pages arrive, each once; `false` ends the reading. */
  readonly onRows?: ((rows: Listing) => boolean) | undefined;
}

/** Lists whose rows are final once they are read: others need a second reading, or are grouped. */
export const streamed: ReadonlySet<ListResource> = new Set<ListResource>(['clients', 'subscriptions']);

/** The result of reading a list; `listing` is `undefined` if nothing could be read. */
export interface ReadList {
  readonly listing: Listing | undefined;
  /** Says what is missing and why, not escaped. */
  readonly missing: readonly string[];
}

const isNotAvailable = ({ kind }: ApiError): boolean => kind === 'not-available';

const notOld = { sinceReadSeconds: 0, oldSecondsOf: () => undefined };

/** Returns a list without rows; that of plugins also has a column for each of `nodes`. */
export function emptyList(resource: ListResource, theme: Theme, nodes: readonly NodeName[] = []): Listing {
  const listing = <Row, Data>(columns: readonly Column<Row, Data>[], data: Data): Listing =>
    createListing({ columns, rows: [], data, theme, zoneSeconds: 0 });
  const clocks = { clockOf: () => undefined };
  if (isWholeList(resource)) return listing(wholeListOf(resource).columns, clocks);
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
  const missing: string[] = [];
  const rates = createSessionRateTracker();
  const triage = createTriage(rates);
  let onState = (): void => {};
  const reader = createClusterReader({
    api,
    clock,
    maxRows,
    deadlineMs,
    whyLost,
    onState: (state) => {
      triage.follow(state);
      onState();
    },
  });
  const { state } = reader;

  const fail = (part: string | undefined, error: ApiError): void => {
    missing.push(listOutputTexts.notRead(part, error.message));
  };

  /** Reads a resource. @param isFine whether an error is not reported as missing */
  async function read<Data, Key extends QueryKey>(
    part: string | undefined,
    resource: Resource<Data, Key>,
    key: Key,
    isFine: (error: ApiError) => boolean = () => false,
  ): Promise<Data | undefined> {
    await reader.read(watchOf(resource, ...key));
    const { data, error, unusable } = reading(state(), resource, ...key);
    if (unusable !== undefined) missing.push(listOutputTexts.notRead(part, unusableText(unusable)));
    if (error !== undefined && !isFine(error)) fail(part, error);
    return data;
  }

  async function readScan<Row>(scan: Scan<Row>): Promise<ScanState<Row>> {
    reader.cancelDeadline();
    await reader.read(scan);
    return reading(state(), scan);
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
    const given = new Set<string>();
    let hasEnough = false;
    if (onRows !== undefined && list !== undefined)
      onState = () => {
        const fresh = reading(state(), scan).rows.filter((row) => !given.has(scan.identity(row)));
        for (const row of fresh) given.add(scan.identity(row));
        if (hasEnough || fresh.length === 0 || onRows(list(fresh))) return;
        hasEnough = true;
        reader.stopScan(scan);
      };
    const ended = await readScan(scan);
    if (!hasEnough) noteMissing(ended);
    return hasRead(ended) ? ended.rows : undefined;
  }

  async function readSessions(): Promise<readonly SessionRow[] | undefined> {
    // Only the limit of the queues comes from it, and some clusters have no such list.
    if (api.capabilities?.settings === true && api.capabilities.queueLimitSetting !== undefined)
      await read(listOutputTexts.settings, settings, [], isNotAvailable);
    let last = await readScan(sessionScan);
    const readAtMs = clock.monotonicMs();
    if (hasRead(last)) {
      rates.update(last, refreshOf(api.capabilities));
      const isWhole = last.phase === 'complete' && last.leftOut.size === 0;
      noteMissing(await readScan(clientScan), listOutputTexts.clients);
      // A list that failed once is not worth a second load.
      if (isWhole) {
        await sleep(clock, Math.max(0, readAtMs + rateSeconds * 1_000 - clock.monotonicMs()), reader.signal);
        last = await readScan(sessionScan);
      }
    }
    noteMissing(last);
    if (!hasRead(last)) return undefined;
    const { offline, recentTrouble } = reading(triage.derive(state(), clock.nowMs()), triageView);
    return createConnectionJoin()(
      rates.update(last, refreshOf(api.capabilities)),
      reading(state(), clientScan),
      reading(state(), nodes),
      offline,
      selectQueueLimits(state()),
      recentTrouble,
    );
  }

  const listOf = <Row, Data>(columns: readonly Column<Row, Data>[], rows: readonly Row[], data: Data): Listing =>
    createListing({
      columns,
      rows,
      data,
      theme,
      zoneSeconds: zoneSecondsOf(selectBrokerClock(state(), undefined, clock.nowMs()), wallMs(clock.nowMs())),
    });

  const listed = <Row, Data>(
    columns: readonly Column<Row, Data>[],
    rows: readonly Row[] | undefined,
    data: Data,
  ): Listing | undefined => (rows === undefined ? undefined : listOf(columns, rows, data));

  async function readListing(): Promise<Listing | undefined> {
    // It also signs in: some APIs list users only to a session.
    await Promise.all([nodes, nodeStats, stats].map((each) => read<unknown, []>(undefined, each, [])));
    if (resource === 'problems') {
      if (missing.length > 0 && !hasAnything({ state: state() })) return undefined;
      missing.length = 0;
      reader.cancelDeadline();
      const cluster = await readCluster(api, { clock, rateSeconds, maxRows, begins: options.begins });
      const isRead = hasAnything(cluster);
      for (const { part, message } of cluster.errors)
        missing.push(listOutputTexts.notRead(isRead ? partName(part) : undefined, message));
      for (const part of cluster.tooLong) missing.push(listOutputTexts.notRead(part, listOutputTexts.tooLong));
      return listed<Finding, undefined>(problemColumns, isRead ? cluster.report.problems : undefined, undefined);
    }
    const names = selectNodes(state()).map(({ name }) => name);
    const brokerClocks = () => brokerClocksOf(state, reading(state(), nodes), clock.nowMs());
    const clocks = brokerClocks();
    if (isWholeList(resource)) {
      const { resource: whole, rowsOf, columns } = wholeListOf(resource);
      const content = await read(undefined, whole, []);
      if (content === undefined) return undefined;
      const { rows, isCut } = rowsOf(content);
      if (isCut) missing.push(listOutputTexts.onlyFirst(rows.length));
      return listOf(columns, rows, brokerClocks());
    }
    switch (resource) {
      case 'nodes': {
        const isRead = reading(state(), nodes).data !== undefined || reading(state(), nodeStats).data !== undefined;
        return listed(nodeColumns, isRead ? selectNodes(state()) : undefined, notOld);
      }
      case 'listeners': {
        await read(undefined, listeners, []);
        return listed<ListenerRow, undefined>(
          withShortNodes(listenerColumnsOf(true, true), ({ node }) => node, names),
          selectListeners(state()),
          undefined,
        );
      }
      case 'users': {
        const data = await read(undefined, users, []);
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
          withShortNodeColumn(routeListColumns, names),
          rows && createRouteGrouper().group(rows).map(plainRow),
          undefined,
        );
      }
      case 'plugins': {
        const running = selectNodes(state()).filter(({ status }) => status === 'running');
        await Promise.all(running.map(({ name }) => read(name, plugins, [name])));
        const { rows, read: answered } = selectPlugins(state());
        return listed<PluginRow, { read: ReadonlySet<string>; loading: ReadonlySet<string> }>(
          pluginColumns(theme, names),
          answered.size === 0 ? undefined : rows,
          { read: answered, loading: new Set() },
        );
      }
    }
  }

  const listing = await readListing().finally(reader.stop);
  return { listing, missing: [...new Set(missing)].toSorted(compareNatural) };
}

/** Whether at least one node was read. */
const hasRead = ({ coverage, rows, error }: ScanState<unknown>): boolean =>
  error === undefined &&
  (coverage.size === 0 ||
    rows.length > 0 ||
    [...coverage.values()].some(({ isComplete, cut }) => isComplete || cut !== undefined));
