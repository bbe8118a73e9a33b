import type { ByNode, NodeName } from '../../../domain/node.ts';
import { type ApiError, BadAnswerError, BrokerError, NotSupportedError, SilentNodeError } from '../../errors.ts';
import type { CallOptions } from '../../management-api.ts';
import type { UnusableTally } from '../records.ts';
import { answeredOf, isSilence, patienceMs, SilentNodes } from '../silent-nodes.ts';
import type { Caller, ReadOptions } from '../caller.ts';
import {
  absentNode,
  decodeByNode,
  decodeClusterView,
  decodeNode,
  decodeNodes,
  type DecodedNode,
} from './decode-nodes.ts';
import { endpoints } from './paths.ts';
import { SharedReads } from '../shared-reads.ts';
import { v5Texts } from './texts.ts';

/** An answer about the nodes also serves the other list of them for so long. */
const sharedMs = 1_000;

/** The client's knowledge of the broker; shared by all its addresses. */
export class KnownCluster extends SilentNodes {
  /** The last list of plugins. Every node has the same, so it is read once for all of them. */
  plugins: { readonly list: readonly unknown[]; readonly atMs: number } | undefined;
  /** Whether users have roles. */
  hasRoles = false;
  /** Whether actions and sources are listed with their whole configuration only, as before 5.8.5. */
  lacksSummaries = false;
  /** The lowest release of the nodes. */
  release: readonly [major: number, minor: number] | undefined;

  constructor(now?: () => number) {
    super((error) => error instanceof BrokerError && error.code === 'NOT_FOUND', now);
  }

  noteRelease(rows: readonly DecodedNode[]): void {
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

  /** Refuses requests that the release does not know; while it is unknown, they are sent. @throws NotSupportedError */
  require(release: readonly [major: number, minor: number], task: string): void {
    if (this.release !== undefined && !this.isAtLeast(...release))
      throw new NotSupportedError(task, {}, v5Texts.sinceRelease(task, release.join('.')));
  }
}

/** Reads what all nodes report; node by node while one of them does not answer. */
export class ClusterReads {
  readonly #caller: Caller;
  readonly #known: KnownCluster;
  readonly #now: () => number;
  readonly #reads = new SharedReads<readonly DecodedNode[]>();
  #last: { readonly rows: readonly DecodedNode[]; readonly atMs: number; readonly use: string } | undefined;

  constructor(caller: Caller, known: KnownCluster, now: () => number = () => performance.now()) {
    this.#caller = caller;
    this.#known = known;
    this.#now = now;
  }

  /** Returns the options of reads that wait for all nodes. @throws SilentNodeError if one of them is silent */
  waiting(options: CallOptions | undefined): ReadOptions {
    this.#known.requireAll();
    return { ...options, waitsForNodes: true };
  }

  /** @throws SilentNodeError for a silent node */
  requireNode(node: NodeName): void {
    this.#known.requireAnswering(node);
  }

  /** The deadline of reads that a silent node may block; `undefined` while none is silent. */
  get deadlineMs(): number | undefined {
    return this.#known.silentUntilMs.size > 0 ? patienceMs : undefined;
  }

  /** @param use one answer serves each use once */
  async rows(use: 'info' | 'stats', options: CallOptions | undefined): Promise<readonly DecodedNode[]> {
    const last = this.#last;
    if (last !== undefined && last.use !== use && this.#now() - last.atMs < sharedMs) {
      this.#last = undefined;
      return last.rows;
    }
    const rows = await this.#reads.read('', options, (shared) => this.#readRows(shared));
    this.#last = { rows, atMs: this.#now(), use };
    return rows;
  }

  async row(node: NodeName, options: CallOptions | undefined): Promise<DecodedNode> {
    this.requireNode(node);
    return this.#readNode(node, options);
  }

  #readNode(node: NodeName, options: CallOptions | undefined, deadlineMs?: number): Promise<DecodedNode> {
    return this.#caller.read(endpoints.getNode.build({ node }), { ...options, deadlineMs }, (body, { sentAt }) => {
      const row = decodeNode(body, sentAt);
      if (row.info.name !== node) throw new BadAnswerError(v5Texts.otherObject);
      return row;
    });
  }

  async #readRows(options: CallOptions): Promise<readonly DecodedNode[]> {
    const { running, silentUntilMs } = this.#known;
    let failure: ApiError | undefined;
    if (silentUntilMs.size === 0) {
      try {
        const rows = await this.#caller.read(
          endpoints.listNodes.build({}),
          { ...options, waitsForNodes: true, deadlineMs: running.size > 1 ? patienceMs : undefined },
          (body, { tally, sentAt }) => decodeNodes(body, sentAt, tally),
        );
        const missing = [...running].filter((name) => rows.every(({ info }) => info.name !== name));
        return this.#note(missing.length === 0 ? rows : [...rows, ...(await this.#rowsOf(missing, options))]);
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
    const silent = [...silentUntilMs.keys()];
    silentUntilMs.clear();
    throw failure ?? new SilentNodeError(silent);
  }

  /** Reads the list of names, which comes at once, even if a node is frozen. */
  async #names(options: CallOptions, failure: ApiError | undefined): Promise<readonly NodeName[]> {
    const { running } = this.#known;
    if (running.size > 1) return [...running];
    try {
      const call = { ...options, deadlineMs: patienceMs };
      return (await this.#caller.read(endpoints.getCluster.build({}), call, decodeClusterView)).nodes;
    } catch (error) {
      throw failure ?? error;
    }
  }

  async #rowsOf(names: readonly NodeName[], options: CallOptions): Promise<readonly DecodedNode[]> {
    const answers = await this.#known.askEach(names, (name, deadlineMs) => this.#readNode(name, options, deadlineMs));
    return names.map((name) => {
      const answer = answers.get(name);
      return answer?.kind === 'answered'
        ? answer.value
        : absentNode(name, answer?.kind === 'stopped' ? 'stopped' : 'other');
    });
  }

  #note(rows: readonly DecodedNode[]): readonly DecodedNode[] {
    this.#known.note(rows.filter(({ info }) => info.status !== 'stopped').map(({ info }) => info.name));
    this.#known.noteRelease(rows);
    return rows;
  }

  /** Reads figures of all nodes that answer, from one list or node by node. @throws ApiError if none answers */
  async figures<T>(
    paths: { readonly all: string; readonly of: (node: NodeName) => string },
    options: CallOptions | undefined,
    what: string,
    decode: (row: unknown) => T,
  ): Promise<ByNode<T>> {
    return this.#known.read({
      all: (deadlineMs) => {
        const decodeList = (body: unknown, { tally }: { readonly tally: UnusableTally }): ByNode<T> =>
          decodeByNode(body, what, decode, tally);
        return this.#caller.read(paths.all, { ...options, waitsForNodes: true, deadlineMs }, decodeList);
      },
      one: (node, deadlineMs) => this.#caller.read(paths.of(node), { ...options, deadlineMs }, decode),
      join: answeredOf,
    });
  }
}
