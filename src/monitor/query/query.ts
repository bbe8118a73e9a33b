import type { ApiError } from '../../api/errors.ts';
import type { CallOptions, ReadingApi, Page, PageRequest } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { RowIdentity } from '../scan/scan-rows.ts';
import { emptyResource, emptyScan, type MonitorState, type ResourceState, type ScanState } from '../state.ts';
import {
  asWatch,
  define,
  type Part,
  type Query,
  type QueryKey,
  reading,
  type Recordable,
  textOfKey,
  type Watchable,
} from './part.ts';

/** The parts of the monitor that a query and its followers may use. */
export interface QueryContext {
  readonly api: ReadingApi;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly state: () => MonitorState;
  readonly write: <State, Key extends QueryKey>(part: Part<State, Key>, value: State, ...key: Key) => void;
  /** Creates a value once for each monitor, which several followers share. */
  readonly share: <T>(create: (context: QueryContext) => T) => T;
  /** Plans the next reading again, because what its interval depends on has changed. */
  readonly reschedule: (watchable: Watchable) => void;
  /** Reads at once what failed, because a node answers again. */
  readonly onNodeBack: () => void;
  /** Calls `listener` when answers begin to come from another address, whose counters may be others. */
  readonly onOtherSource: (listener: () => void) => void;
}

/** One reading: its options, and the way to send its requests. */
export interface ReadCall extends CallOptions {
  readonly signal: AbortSignal;
  /** Sends one of several requests of a reading with `isInParts`. */
  readonly request: <R>(request: () => Promise<R>) => Promise<R>;
}

/** Reads one value. @throws ApiError */
export type ReadValue<Data> = (call: ReadCall) => Promise<Data>;

/** A resource: data that is read as a whole, again and again. */
export interface Resource<Data, Key extends QueryKey = []> extends Part<ResourceState<Data>, Key> {
  readonly kind: 'resource';
  /** The name of the resource in the timeline, raw. */
  readonly source: (...key: Key) => string;
  /** How often the resource is read: at every interval of the screen, or at every fifth. */
  readonly every: 'tick' | 'fifthTick';
  /**
   * Nothing is known of the cluster without this resource: it is read before everything else, and its return ends an
   * outage.
   */
  readonly isVital: boolean;
  /** The node that a request waits for: one request at a time. */
  readonly nodeOf: ((...key: Key) => NodeName) | undefined;
  /** A reading takes several requests, which are sent with `call.request`. */
  readonly isInParts: boolean;
  /** So many values are kept when nothing watches them any more. */
  readonly maxUnwatched: number;
  readonly open: (context: QueryContext, ...key: Key) => ReadValue<Data>;
}

interface ResourceOptions<Key extends QueryKey> {
  readonly name: string;
  readonly source: string | ((...key: Key) => string);
  readonly every: 'tick' | 'fifthTick';
  readonly isVital?: true | undefined;
  readonly nodeOf?: ((...key: Key) => NodeName) | undefined;
  readonly isInParts?: true | undefined;
  readonly maxUnwatched?: number | undefined;
}

type Reading<Data, Key extends QueryKey> =
  | { readonly read: (api: ReadingApi, call: ReadCall, ...key: Key) => Promise<Data> }
  /** Called once for each key: for a reading that remembers earlier ones, or depends on the state. */
  | { readonly open: (context: QueryContext, ...key: Key) => ReadValue<Data> };

/** Defines a resource. `read` sends one request, or several one after the other. */
export function defineResource<Data, Key extends QueryKey = []>(
  options: ResourceOptions<Key> & Recordable<ResourceState<Data>> & Reading<Data, Key>,
): Resource<Data, Key> {
  const { name, source, every, isVital = false, nodeOf, isInParts = false, maxUnwatched = 16, recorded } = options;
  return define({
    kind: 'resource',
    name,
    empty: emptyResource<Data>(),
    textOf: textOfKey,
    source: typeof source === 'string' ? () => source : source,
    every,
    isVital,
    nodeOf,
    isInParts,
    maxUnwatched,
    recorded,
    open:
      'open' in options
        ? options.open
        : (context: QueryContext, ...key: Key): ReadValue<Data> =>
            (call) =>
              options.read(context.api, call, ...key),
  });
}

interface ScanSource<Row> extends RowIdentity<Row> {
  readonly list: (api: ReadingApi, node: NodeName, page: PageRequest, options: CallOptions) => Promise<Page<Row>>;
}

/** A list that is read in pages, of each node one after the other. */
export interface Scan<Row> extends ScanSource<Row>, Part<ScanState<Row>> {
  readonly kind: 'scan';
  /** The noun for the rows, in the plural. */
  readonly noun: string;
  /** The list belongs to the cluster: any node has all of it. */
  readonly isOfCluster: boolean;
  /** The number of rows that the broker counts, of the node if the list is one of nodes. */
  readonly expected: (state: MonitorState, node: NodeName) => number | undefined;
}

/** Defines a list that is read in pages. */
export const defineScan = <Row>(
  options: ScanSource<Row> & Pick<Scan<Row>, 'name' | 'noun' | 'expected'> & { readonly isOfCluster?: true },
): Scan<Row> => define({ isOfCluster: false, ...options, kind: 'scan', empty: emptyScan<Row>(), textOf: textOfKey });

/** A part of the state that follows from readings, but only while something watches it. */
export interface Derived<State> extends Part<State> {
  readonly kind: 'derived';
}

/** Defines a part that costs too much to be derived all the time. What derives it asks `isWatched`. */
export const defineDerived = <State>(
  name: string,
  empty: State,
  { recorded }: Recordable<State> = {},
): Derived<State> => define({ kind: 'derived', name, empty, textOf: textOfKey, recorded });

/** Receives the readings of one query for a follower. */
export interface Following<Answer> {
  /** Called when the request of a reading is sent. */
  readonly onRequest?: (() => void) | undefined;
  /** Called with each answer: the data of a resource, the state of a scan. */
  readonly onAnswer: (answer: Answer) => void;
}

/** Derives parts of the state, or events, from the readings of one query. */
export interface Follower {
  readonly query: Query;
  readonly create: (context: QueryContext, ...key: QueryKey) => Following<unknown>;
}

/** Defines what follows from the readings of a resource. `create` is called once for each key. */
export const followResource = <Data, Key extends QueryKey>(
  query: Resource<Data, Key>,
  create: (context: QueryContext, ...key: Key) => Following<Data>,
): Follower => ({ query, create: create as Follower['create'] });

/** Defines what follows from the states of a scan. */
export const followScan = <Row>(
  query: Scan<Row>,
  create: (context: QueryContext) => Following<ScanState<Row>>,
): Follower => ({ query, create: create as Follower['create'] });

/** Returns the resources without which nothing is known of the cluster, as far as they are watched. */
export const vitalReadings = (state: Pick<MonitorState, 'readings' | 'watched'>): readonly ResourceState<unknown>[] =>
  (state.watched ?? [])
    .map(asWatch)
    .flatMap(({ query, key }) =>
      query.kind === 'resource' && (query as Resource<unknown, never>).isVital
        ? [reading(state, query as Resource<unknown, never>, ...(key as never))]
        : [],
    );

/**
 * Returns why the login fails, if it is not because of a wrong password. Then it is tried again by itself, and may be
 * by the operator.
 */
export const loginFailureOf = (
  state: Pick<MonitorState, 'isUnauthorized' | 'readings' | 'watched'>,
): ApiError | undefined =>
  state.isUnauthorized
    ? undefined
    : vitalReadings(state)
        .map(({ error }) => error)
        .find((error) => error?.isOfLogin === true);
