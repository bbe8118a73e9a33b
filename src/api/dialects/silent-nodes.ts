import type { NodeName } from '../../domain/node.ts';
import { ApiError, NoAnswerError, SilentNodeError } from '../errors.ts';

/** A node that does not answer for this long is silent. Healthy brokers answer in a few milliseconds. */
export const patienceMs = 2_500;
const probeIntervalMs = 10_000;

export type NodeAnswer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'silent'; readonly error: ApiError };

export const isSilence = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.kind === 'timeout' || error.kind === 'node-unreachable' || error instanceof NoAnswerError);

export interface ClusterRead<T, One> {
  /**
   * Reads from all nodes at once: the broker asks them, and a frozen one keeps it waiting. `deadlineMs` is `undefined`
   * before the nodes are known.
   */
  readonly all: (deadlineMs: number | undefined) => Promise<T>;
  readonly one: (node: NodeName, deadlineMs: number) => Promise<One>;
  readonly join: (answers: ReadonlyMap<NodeName, NodeAnswer<One>>) => T;
  /** Finds the nodes before any list of them was read. */
  readonly names?: (() => Promise<readonly NodeName[]>) | undefined;
}

/**
 * The nodes of a cluster, and those of them that do not answer; shared by all its addresses. A frozen node blocks the
 * lists of the whole cluster, for a minute or until the node is given up: then the nodes are read one by one, and the
 * silent one every ten seconds.
 */
export class SilentNodes {
  /** Nodes that were running when they were last listed. */
  readonly running = new Set<NodeName>();
  /** Nodes that do not answer, and when each may be asked again. */
  readonly silentUntilMs = new Map<NodeName, number>();
  #isProbing = false;
  readonly #isStopped: (error: ApiError) => boolean;
  readonly #now: () => number;

  /** @param isStopped whether the answer to a read of one node says that it does not run */
  constructor(isStopped: (error: ApiError) => boolean, now: () => number = () => performance.now()) {
    this.#isStopped = isStopped;
    this.#now = now;
  }

  note(running: Iterable<NodeName>): void {
    this.running.clear();
    for (const name of running) this.running.add(name);
    for (const name of this.silentUntilMs.keys()) if (!this.running.has(name)) this.silentUntilMs.delete(name);
  }

  /** Guards reads that wait for all nodes. @throws SilentNodeError if a node is silent */
  requireAll(): void {
    const silent = [...this.silentUntilMs.keys()];
    if (silent.length > 0) throw new SilentNodeError(silent);
  }

  /** @throws SilentNodeError for a silent node */
  requireAnswering(node: NodeName): void {
    if (this.silentUntilMs.has(node)) throw new SilentNodeError([node]);
  }

  /**
   * Reads what all nodes report: at once, or node by node while one of them is silent. @throws ApiError if none answers
   */
  async read<T, One>({ all, one, join, names }: ClusterRead<T, One>): Promise<T> {
    let failure: ApiError | undefined;
    if (this.silentUntilMs.size === 0) {
      try {
        return await all(this.running.size > 1 ? patienceMs : undefined);
      } catch (error) {
        if (!isSilence(error)) throw error;
        failure = error;
      }
    }
    const known = this.running.size > 0 || names === undefined ? [...this.running] : await names().catch(() => []);
    if (known.length < 2 && failure !== undefined) throw failure;
    const answers = await this.askEach(known, one);
    if ([...answers.values()].some(({ kind }) => kind === 'answered')) return join(answers);
    // The broker as a whole is slow.
    const silent = [...this.silentUntilMs.keys()];
    this.silentUntilMs.clear();
    throw failure ?? new SilentNodeError(silent);
  }

  async askEach<T>(
    names: readonly NodeName[],
    read: (node: NodeName, deadlineMs: number) => Promise<T>,
  ): Promise<ReadonlyMap<NodeName, NodeAnswer<T>>> {
    return new Map(
      await Promise.all(
        names.map(async (node) => [node, await this.#ask(node, (deadlineMs) => read(node, deadlineMs))] as const),
      ),
    );
  }

  /** Asks a node. Silent ones are asked rarely, and one at a time: the request occupies a connection. */
  async #ask<T>(node: NodeName, read: (deadlineMs: number) => Promise<T>): Promise<NodeAnswer<T>> {
    const dueMs = this.silentUntilMs.get(node);
    const isProbe = dueMs !== undefined;
    if (isProbe && (this.#isProbing || this.#now() < dueMs))
      return { kind: 'silent', error: new SilentNodeError([node]) };
    if (isProbe) this.#isProbing = true;
    try {
      const value = await read(patienceMs);
      this.silentUntilMs.delete(node);
      return { kind: 'answered', value };
    } catch (error) {
      if (!isSilence(error)) throw error;
      if (this.#isStopped(error)) {
        this.silentUntilMs.delete(node);
        return { kind: 'stopped' };
      }
      this.silentUntilMs.set(node, this.#now() + probeIntervalMs);
      return { kind: 'silent', error };
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }
}

/** Returns the values of the nodes that answered. */
export const answeredOf = <T>(answers: ReadonlyMap<NodeName, NodeAnswer<T>>): ReadonlyMap<NodeName, T> =>
  new Map(
    [...answers].flatMap(([node, answer]) => (answer.kind === 'answered' ? [[node, answer.value] as const] : [])),
  );
