import type { ServedApi } from '../../../dialect.ts';
import { NotFoundError } from '../../../errors.ts';
import type { CallOptions } from '../../../management-api.ts';
import { runningNodes } from '../../../server/served-calls.ts';
import { nodeDown, nodeNotFound } from './answer.ts';

/** Returns the node of `?node=`, or all running ones. @throws RefusalError for a node that is not running */
export async function wantedNodes(
  api: ServedApi,
  query: URLSearchParams,
  options: CallOptions,
): Promise<readonly string[]> {
  const running = await runningNodes(api, options);
  const node = query.get('node');
  if (node === null) return running;
  if (!running.includes(node)) throw nodeDown(node);
  return [node];
}

/** Reads for a path with the name of a node, which is unknown when it is stopped. @throws RefusalError */
export async function ofNode<T>(node: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof NotFoundError) throw nodeNotFound(node);
    throw error;
  }
}
