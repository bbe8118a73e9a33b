import type { ServedApi } from '../dialect.ts';
import { NotSupportedError } from '../errors.ts';
import type { CallOptions } from '../management-api.ts';

/** @throws NotSupportedError if the implementation has no such call */
export function required<T>(call: T | undefined, name: string): T {
  if (call === undefined) throw new NotSupportedError(name);
  return call;
}

export async function runningNodes(api: ServedApi, options: CallOptions): Promise<readonly string[]> {
  return (await api.listNodes(options)).map(({ name }) => name);
}
