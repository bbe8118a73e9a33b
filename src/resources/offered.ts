import { NotAvailableError, NotFoundError } from '../api/errors.ts';
import type { ReadingApi, ReadName } from '../api/management-api.ts';

/** An operation that not every API has. @throws NotAvailableError where it is missing */
export function offered<Name extends ReadName>(
  api: ReadingApi,
  name: Name,
  what: string,
): NonNullable<ReadingApi[Name]> {
  const operation = api[name];
  if (operation === undefined) throw new NotAvailableError(what);
  return operation.bind(api) as NonNullable<ReadingApi[Name]>;
}

/** Turns a 404 into a NotAvailableError: some clusters have no `GET configs`. */
export async function orNotAvailable<T>(what: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (thrown) {
    if (thrown instanceof NotFoundError)
      throw new NotAvailableError(what, { request: thrown.request, cause: thrown, hint: thrown.hint });
    throw thrown;
  }
}
