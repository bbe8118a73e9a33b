import type { NodeName } from '../../../../domain/node.ts';
import type { ServedApi } from '../../../dialect.ts';
import { type Answer, closed, RefusalError } from './answer.ts';
import type { V5Profile } from './profiles.ts';
import type { ServedRequest } from './query.ts';

/**
 * How a request that asks every node ends while one is frozen; `without`: the ordinary answer, without that node's
 * rows.
 */
interface Outcome {
  readonly seconds: number;
  readonly end: Answer | 'without';
}

const timeout = (code: string, message: string, status = 500): Answer => new RefusalError(status, code, message).answer;
const erpc = timeout('INTERNAL_ERROR', 'error, {erpc,timeout}, []');
const nodeDown = (node: NodeName): Answer => timeout('NODE_DOWN', `bad rpc call '${node}', Reason {badrpc,timeout}`);
const badMap = (node: NodeName): Answer =>
  timeout('INTERNAL_ERROR', `error, {badmap,{error,'${node}',{badrpc,badnode}}}, []`);
/** The server closes a connection after a minute without an answer. */
const cut: Outcome = { seconds: 60, end: closed };

/**
 * Returns what was recorded with one of two nodes stopped by a signal, endpoint by endpoint; `undefined`: nothing waits
 * for the node.
 */
export async function frozenOutcome(
  pattern: string,
  { param, query, options }: ServedRequest,
  frozen: NodeName,
  api: ServedApi,
  { frozenMetricsSeconds }: Pick<V5Profile, 'frozenMetricsSeconds'>,
): Promise<Outcome | undefined> {
  const isOfNode = param('node') === frozen;
  switch (pattern) {
    case '/metrics':
      return query.get('aggregate') === 'true'
        ? { seconds: 5, end: erpc }
        : { seconds: frozenMetricsSeconds, end: 'without' };
    case '/monitor':
    case '/monitor_current':
      return { seconds: 5, end: erpc };
    case '/monitor/nodes/:node':
    case '/monitor_current/nodes/:node':
      return isOfNode ? { seconds: 5, end: erpc } : undefined;
    case '/nodes/:node/metrics':
      return isOfNode ? { seconds: 5, end: timeout('BAD_REQUEST', 'timeout', 400) } : undefined;
    case '/nodes':
      return { seconds: 30, end: 'without' };
    case '/nodes/:node':
      return isOfNode ? { seconds: 30, end: erpc } : undefined;
    case '/nodes/:node/stats':
      return isOfNode ? cut : undefined;
    case '/plugins':
    case '/plugins/:plugin':
    case '/plugins/:plugin/start':
    case '/plugins/:plugin/stop':
      return { seconds: 15, end: erpc };
    case '/clients':
    case '/subscriptions':
      return query.has('node') && query.get('node') !== frozen
        ? undefined
        : { seconds: 50, end: query.has('node') ? nodeDown(frozen) : badMap(frozen) };
    case '/alarms':
      return { seconds: 50, end: nodeDown(frozen) };
    case '/stats':
    case '/slow_subscriptions':
    case '/clients/kickout/bulk':
      return cut;
    case '/topics':
      return undefined;
    default:
      break;
  }
  if (pattern.startsWith('/listeners')) return cut;
  if (!pattern.startsWith('/clients/:clientid')) return undefined;
  const [session] = await api.getSession(param('clientid'), options);
  return session?.node === frozen ? cut : undefined;
}

/** Keeps the rows of other nodes. */
export function withoutNode(value: unknown, node: NodeName): unknown {
  return Array.isArray(value)
    ? value.filter((row: unknown) => !(typeof row === 'object' && row !== null && 'node' in row && row.node === node))
    : value;
}
