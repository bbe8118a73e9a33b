import type { Trace, TraceKind } from '../../../../domain/traces.ts';
import type { ServedApi } from '../../../dialect.ts';
import { BrokerError } from '../../../errors.ts';
import { required, runningNodes } from '../../../server/served-calls.ts';
import { traceTypes } from '../decode-lists.ts';
import { noContent, ok, RefusalError, type WireRecord } from './answer.ts';
import { nowSeconds } from '../../../server/epoch.ts';
import { bodyOf, fieldOf, type Handler, optionalText, readInteger, readText } from './query.ts';
import type { Route } from '../../../server/router.ts';
import { plainTime, readTime } from './times.ts';

const defaultSeconds = 600;
const maxLogBytes = 1_000_000;
const served = ['client-id', 'topic', 'address'] as const satisfies readonly TraceKind[];

const encodeTrace = ({ name, kind = 'client-id', value, status, startAt, endAt, logBytes }: Trace): WireRecord => ({
  name,
  type: traceTypes[kind],
  [traceTypes[kind]]: value,
  status,
  start_at: plainTime(startAt ?? 0),
  end_at: plainTime(endAt ?? 0),
  log_size: Object.fromEntries(logBytes),
  formatter: 'text',
  payload_encode: 'text',
});

const orNotFound = async <T>(name: string, reading: Promise<T>): Promise<T> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof BrokerError && error.kind === 'does-not-exist')
      throw new RefusalError(404, 'NOT_FOUND', `${name} NOT FOUND`);
    throw error;
  }
};

/** Serves the traces of clients, topics and addresses. */
export function traceRoutes(api: ServedApi): readonly Route<Handler>[] {
  const list: Handler = async ({ options }) =>
    ok((await required(api.listTraces, 'listTraces')(options)).map(encodeTrace));
  const start: Handler = async ({ body, options }) => {
    const fields = bodyOf({ body });
    const name = readText(fields, 'name');
    if (!/^[A-Za-z]+[A-Za-z0-9-_]*$/u.test(name))
      throw new RefusalError(400, 'INVALID_PARAMS', `invalid name format ${name}`);
    const type = readText(fields, 'type');
    const kind = served.find((each) => traceTypes[each] === type);
    if (kind === undefined) throw new RefusalError(400, 'INVALID_PARAMS', `unknown type ${type}`);
    const value = optionalText(fields, type) ?? '';
    if (value === '') throw new RefusalError(400, 'INVALID_PARAMS', `required ${type} field`);
    const end = fieldOf(fields, 'end_at');
    const endAt = end === undefined ? nowSeconds() + defaultSeconds : readTime(end, 'root.end_at');
    try {
      await required(api.startTrace, 'startTrace')({ name, kind, value, endAt }, options);
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      if (error.kind === 'exists') throw new RefusalError(409, 'ALREADY_EXISTS', `${name} Already Exists`);
      throw new RefusalError(400, 'INVALID_PARAMS', error.brokerMessage ?? '');
    }
    const found = (await required(api.listTraces, 'listTraces')(options)).find((each) => each.name === name);
    return ok(found === undefined ? {} : encodeTrace(found));
  };
  const log: Handler = async ({ param, query, options }) => {
    const name = param('name');
    const node = query.get('node') ?? (await runningNodes(api, options))[0] ?? '';
    const bytes = readInteger(query, 'bytes', 1_000, maxLogBytes, `1..${maxLogBytes}`);
    const from =
      query.has('position') && query.get('position') !== '0'
        ? readInteger(query, 'position', 0, Number.MAX_SAFE_INTEGER, 'integer()')
        : 0;
    const { text, next } = await orNotFound(
      name,
      required(api.readTrace, 'readTrace')(name, node, { from, maxBytes: bytes }, options),
    );
    return ok({ items: text, meta: { bytes: next - from, position: next } });
  };
  const stop: Handler = async ({ param, options }) => {
    const name = param('name');
    await orNotFound(name, required(api.stopTrace, 'stopTrace')(name, options));
    return ok({ enable: false, name });
  };
  const remove: Handler = async ({ param, options }) => {
    const name = param('name');
    await orNotFound(name, required(api.deleteTrace, 'deleteTrace')(name, options));
    return noContent;
  };
  return [
    { method: 'GET', pattern: '/trace', handler: list },
    { method: 'POST', pattern: '/trace', handler: start },
    { method: 'GET', pattern: '/trace/:name/log', handler: log },
    { method: 'PUT', pattern: '/trace/:name/stop', handler: stop },
    { method: 'DELETE', pattern: '/trace/:name', handler: remove },
  ];
}
