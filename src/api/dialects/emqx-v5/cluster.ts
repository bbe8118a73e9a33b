import type { ByNode, NodeName } from '../../../domain/node.ts';
import { ApiError, BadAnswerError, BrokerError, NoAnswerError, NotSupportedError } from '../../errors.ts';
import type { CallOptions } from '../../management-api.ts';
import type { UnusableTally } from '../records.ts';
import type { Caller, ReadOptions } from './caller.ts';
import { absentNode, decodeByNode, decodeNode, decodeNodes, type NodeRow } from './decode-nodes.ts';
import { Fields } from './fields.ts';
import { endpoints } from './paths.ts';
import { SharedReads } from '../shared-reads.ts';
import { v5Texts } from './texts.ts';

/** Healthy brokers answer in a few milliseconds. */
const patienceMs = 2_500;
const probeIntervalMs = 10_000;
/** An answer about the nodes also serves the other list of them. */
const sharedMs = 1_000;

/** What the client learned about the broker; shared by all its addresses. */
export class ClusterKnowledge {
  /** Nodes that were running when they were last listed. */
  readonly running = new Set<NodeName>();
  /** Nodes that do not answer, and when each may be asked again. */
  readonly silentUntilMs = new Map<NodeName, number>();
  isProbing = false;
  /** Every node has the same list: read once for all of them. */
  plugins: { readonly list: readonly unknown[]; readonly atMs: number } | undefined;
  /** Users have roles. */
  hasRoles = false;
  /** The lowest release of the nodes. */
  release: readonly [major: number, minor: number] | undefined;

  noteRelease(rows: readonly NodeRow[]): void {
    const releases = rows.flatMap(({ info }) => {
      const [, major, minor] = /^v?(\d+)\.(\d+)/u.exec(info.version ?? '') ?? [];
      return major === undefined ? [] : [[Number(major), Number(minor)] as const];
    });
    const [lowest] = releases.toSorted(([a, b], [c, d]) => a - c || b - d);
    if (lowest !== undefined) this.release = lowest;
  }

  isAtLeast(major: number, minor: number): boolean {
    const [has, hasMinor] = this.release ?? [0, 0];
    return has > major || (has === major && hasMinor >= minor);
  }

  /** For requests that are younger than the API; sent while the release is unknown. @throws NotSupportedError */
  require(release: readonly [major: number, minor: number], task: string): void {
    if (this.release !== undefined && !this.isAtLeast(...release)) throw new NotSupportedError(task, {}, v5Texts.sinceRelease(task, release.join('.')));
  }
}

type NodeAnswer<T> = { readonly kind: 'answered'; readonly value: T } | { readonly kind: 'stopped' } | { readonly kind: 'silent'; readonly error: ApiError };

const isSilence = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.kind === 'timeout' || error.kind === 'node-unreachable' || error instanceof NoAnswerError);

const isStopped = (error: ApiError): boolean => error instanceof BrokerError && error.code === 'NOT_FOUND';

const silence = (): BrokerError => new BrokerError('node-unreachable', undefined, { meaning: v5Texts.silentNode });

/**
 * Reads what all nodes report. The broker asks every node for the lists of a cluster, and a frozen one blocks them for a minute:
 * then the nodes are read one by one, and the silent one is asked every ten seconds.
 */
export class Cluster {
  readonly #caller: Caller;
  readonly #known: ClusterKnowledge;
  readonly #now: () => number;
  readonly #reads = new SharedReads<readonly NodeRow[]>();
  #last: { readonly rows: readonly NodeRow[]; readonly atMs: number; readonly use: string } | undefined;

  constructor(caller: Caller, known: ClusterKnowledge, now: () => number = () => performance.now()) {
    this.#caller = caller;
    this.#known = known;
    this.#now = now;
  }

  /** For reads that wait for all nodes. @throws BrokerError if one of them is silent */
  waiting(options: CallOptions | undefined): ReadOptions {
    const silent = [...this.#known.silentUntilMs.keys()];
    if (silent.length > 0) throw new BrokerError('node-unreachable', undefined, { meaning: v5Texts.nodeHangs(silent) });
    return { ...options, waitsForNodes: true };
  }

  /** @throws BrokerError for a silent node */
  requireNode(node: NodeName): void {
    if (this.#known.silentUntilMs.has(node)) throw silence();
  }

  /** For reads that a silent node may block. */
  get deadlineMs(): number | undefined {
    return this.#known.silentUntilMs.size > 0 ? patienceMs : undefined;
  }

  /** @param use one answer serves each use once */
  async rows(use: 'info' | 'stats', options: CallOptions | undefined): Promise<readonly NodeRow[]> {
    const last = this.#last;
    if (last !== undefined && last.use !== use && this.#now() - last.atMs < sharedMs) {
      this.#last = undefined;
      return last.rows;
    }
    const rows = await this.#reads.read('', options, (shared) => this.#readRows(shared));
    this.#last = { rows, atMs: this.#now(), use };
    return rows;
  }

  async row(node: NodeName, options: CallOptions | undefined): Promise<NodeRow> {
    this.requireNode(node);
    return this.#readNode(node, options);
  }

  #readNode(node: NodeName, options: CallOptions | undefined, deadlineMs?: number): Promise<NodeRow> {
    return this.#caller.read(endpoints.getNode.build({ node }), { ...options, deadlineMs }, (body, { sentAt }) => {
      const row = decodeNode(body, sentAt);
      if (row.info.name !== node) throw new BadAnswerError(v5Texts.otherObject);
      return row;
    });
  }

  async #readRows(options: CallOptions): Promise<readonly NodeRow[]> {
    const { running, silentUntilMs } = this.#known;
    let failure: ApiError | undefined;
    if (silentUntilMs.size === 0) {
      try {
        const rows = await this.#caller.read(endpoints.listNodes.build({}), { ...options, waitsForNodes: true, deadlineMs: running.size > 1 ? patienceMs : undefined }, (body, { tally, sentAt }) => decodeNodes(body, sentAt, tally));
        const missing = [...running].filter((name) => rows.every(({ info }) => info.name !== name));
        return this.#note(missing.length === 0 ? rows : [...rows, ...await this.#rowsOf(missing, options)]);
      } catch (error) {
        if (!isSilence(error)) throw error;
        failure = error;
      }
    }
    const names = await this.#names(options, failure);
    if (names.length < 2 && failure !== undefined) throw failure;
    const rows = await this.#rowsOf(names, options);
    if (rows.some(({ info }) => info.status === 'running')) return this.#note(rows);
    // The broker as a whole is slow.
    silentUntilMs.clear();
    throw failure ?? silence();
  }

  /** The list of names comes at once, even if a node is frozen. */
  async #names(options: CallOptions, failure: ApiError | undefined): Promise<readonly NodeName[]> {
    const { running } = this.#known;
    if (running.size > 1) return [...running];
    try {
      return await this.#caller.read(endpoints.getCluster.build({}), { ...options, deadlineMs: patienceMs }, (body) => {
        const { raw } = Fields.of(body, 'cluster');
        const nodes: readonly unknown[] = Array.isArray(raw['nodes']) ? raw['nodes'] : [];
        return nodes.filter((name) => typeof name === 'string');
      });
    } catch (error) {
      throw failure ?? error;
    }
  }

  async #rowsOf(names: readonly NodeName[], options: CallOptions): Promise<readonly NodeRow[]> {
    const answers = await this.#askEach(names, (name, deadlineMs) => this.#readNode(name, options, deadlineMs));
    return names.map((name) => {
      const answer = answers.get(name);
      return answer?.kind === 'answered' ? answer.value : absentNode(name, answer?.kind === 'stopped' ? 'stopped' : 'other');
    });
  }

  #note(rows: readonly NodeRow[]): readonly NodeRow[] {
    const { running, silentUntilMs } = this.#known;
    running.clear();
    for (const { info } of rows) if (info.status !== 'stopped') running.add(info.name);
    for (const name of silentUntilMs.keys()) if (!running.has(name)) silentUntilMs.delete(name);
    this.#known.noteRelease(rows);
    return rows;
  }

  /** Figures of all nodes that answer, from one list or node by node. @throws ApiError if none answers */
  async figures<T>(
    paths: { readonly all: string; readonly of: (node: NodeName) => string }, options: CallOptions | undefined, what: string, decode: (row: unknown) => T,
  ): Promise<ByNode<T>> {
    const { running, silentUntilMs } = this.#known;
    let failure: ApiError | undefined;
    if (silentUntilMs.size === 0) {
      try {
        const decodeList = (body: unknown, { tally }: { readonly tally: UnusableTally }): ByNode<T> => decodeByNode(body, what, decode, tally);
        return await this.#caller.read(paths.all, { ...options, waitsForNodes: true, deadlineMs: running.size > 1 ? patienceMs : undefined }, decodeList);
      } catch (error) {
        if (!isSilence(error) || running.size < 2) throw error;
        failure = error;
      }
    }
    const answers = await this.#askEach([...running], (node, deadlineMs) => this.#caller.read(paths.of(node), { ...options, deadlineMs }, decode));
    const found = new Map([...answers].flatMap(([node, answer]) => (answer.kind === 'answered' ? [[node, answer.value] as const] : [])));
    if (found.size > 0) return found;
    silentUntilMs.clear();
    throw failure ?? silence();
  }

  async #askEach<T>(names: readonly NodeName[], read: (node: NodeName, deadlineMs: number) => Promise<T>): Promise<ReadonlyMap<NodeName, NodeAnswer<T>>> {
    return new Map(await Promise.all(names.map(async (node) => [node, await this.#ask(node, (deadlineMs) => read(node, deadlineMs))] as const)));
  }

  /** A silent node is asked rarely, and one of them at a time: its request occupies a connection. */
  async #ask<T>(node: NodeName, read: (deadlineMs: number) => Promise<T>): Promise<NodeAnswer<T>> {
    const known = this.#known;
    const dueMs = known.silentUntilMs.get(node);
    const isProbe = dueMs !== undefined;
    if (isProbe && (known.isProbing || this.#now() < dueMs)) return { kind: 'silent', error: silence() };
    if (isProbe) known.isProbing = true;
    try {
      const value = await read(patienceMs);
      known.silentUntilMs.delete(node);
      return { kind: 'answered', value };
    } catch (error) {
      if (!isSilence(error)) throw error;
      if (isStopped(error)) {
        known.silentUntilMs.delete(node);
        return { kind: 'stopped' };
      }
      known.silentUntilMs.set(node, this.#now() + probeIntervalMs);
      return { kind: 'silent', error };
    } finally {
      if (isProbe) known.isProbing = false;
    }
  }
}
