import pLimit, { type LimitFunction } from 'p-limit';
import { UnreachableError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { StateWriter } from '../store.ts';
import type { Call } from './client-detail.ts';
import { createLoginGate } from './login-gate.ts';
import { createRequestMeter } from './request-meter.ts';

const mostRequestsInFlight = 6;
/** Of these, for what is read of one node, client or topic: what hangs must leave a connection for the cluster's figures. */
const mostAsideInFlight = 3;
/** Of those, for one node: when it hangs, the others are still read at their time. */
const mostOfNodeInFlight = 1;
/** How often the count of requests is brought up to date while it only falls. */
const meterEveryMs = 5_000;

interface CallsOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly writer: StateWriter;
  readonly journal: Journal;
  /** A request was answered after several in a row had found no connection. */
  readonly onReached: () => void;
}

/** The way of every request: bounded in number, counted, and none beside the first before the login is known to be right. */
export interface Calls {
  readonly call: Call;
  /** For what is read of one client or topic. */
  readonly callAside: Call;
  /** For what is read of this node. */
  readonly callOfNode: (node: NodeName) => Call;
  /** For what an operator asks of one address: whether it takes the login, or answers, says nothing of the one that serves. */
  readonly callAtUrl: Call;
  /** What waits for its turn never comes to it. */
  stop(): void;
}

/** One that finds no connection may have been cut off by itself; from so many in a row on it is the broker. */
const fewestUnreached = 2;

export function createCalls({ api, clock, writer, journal, onReached }: CallsOptions): Calls {
  const limit = pLimit(mostRequestsInFlight);
  const asideLimit = pLimit(mostAsideInFlight);
  const gate = createLoginGate();
  const meter = createRequestMeter(clock, api);
  let isStopped = false;
  let unreachedInRow = 0;
  let cancelMeter: (() => void) | undefined;

  function showMeter(): void {
    cancelMeter?.();
    cancelMeter = undefined;
    const [load, before] = [meter.lastMinute(), writer.state().causedLoad];
    if (load.requests !== before.requests || load.answerBytes !== before.answerBytes || load.seconds !== before.seconds) writer.write({ causedLoad: load });
    if (load.requests > 0 && !isStopped) cancelMeter = clock.setTimer(meterEveryMs, showMeter);
  }

  async function metered<R>(request: () => Promise<R>): Promise<R> {
    const end = meter.begin();
    showMeter();
    try {
      return await request();
    } finally {
      end();
      showMeter();
      noteVariant();
    }
  }

  async function reaching<R>(request: () => Promise<R>): Promise<R> {
    try {
      const answer = await metered(request);
      noteReached();
      return answer;
    } catch (thrown) {
      if (thrown instanceof UnreachableError) unreachedInRow += 1;
      throw thrown;
    }
  }

  function noteReached(): void {
    const wasGone = unreachedInRow >= fewestUnreached;
    unreachedInRow = 0;
    if (wasGone) onReached();
  }

  function noteVariant(): void {
    const { capabilities, variantDoubt } = api;
    const before = writer.state();
    if (capabilities !== before.capabilities) writer.write({ capabilities });
    if (variantDoubt === before.variantDoubt) return;
    writer.write({ variantDoubt });
    if (variantDoubt !== undefined) journal.note('warning', variantDoubt);
  }

  function call<R>(request: () => Promise<R>, signal: AbortSignal): Promise<R> {
    const ticket = gate.ticket();
    // The gate knows `signal` as well: the request may have waited for its turn.
    return limit(() => gate.through(ticket, () => reaching(request), signal));
  }

  const callAside: Call = (request, signal) => asideLimit(() => call(request, signal));

  /** Of nodes that have something in flight. */
  const nodeLimits = new Map<NodeName, LimitFunction>();

  function callOfNode(node: NodeName): Call {
    return async (request, signal) => {
      const nodeLimit = nodeLimits.get(node) ?? pLimit(mostOfNodeInFlight);
      nodeLimits.set(node, nodeLimit);
      try {
        return await nodeLimit(() => callAside(request, signal));
      } finally {
        if (nodeLimit.activeCount + nodeLimit.pendingCount === 0) nodeLimits.delete(node);
      }
    };
  }

  return {
    call,
    callAside,
    callOfNode,
    callAtUrl: (request) => asideLimit(() => limit(() => metered(request))),
    stop() {
      isStopped = true;
      for (const nodeLimit of nodeLimits.values()) nodeLimit.clearQueue();
      asideLimit.clearQueue();
      limit.clearQueue();
      cancelMeter?.();
    },
  };
}
