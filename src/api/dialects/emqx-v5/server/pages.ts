import { lazily } from '../../../json.ts';
import type { PageRequest } from '../../../management-api.ts';
import type { FoundRows } from '../../../server/rows.ts';
import type { Answer, WireRecord } from './answer.ts';

/** Answers with a page, lazily: it may be very long. */
export function pageAnswer<T>(
  { items, hasNext, count }: FoundRows<T>,
  { page, pageSize }: PageRequest,
  encode: (item: T) => WireRecord,
): Answer {
  return {
    status: 200,
    long: { data: lazily(items, encode), meta: { page, limit: pageSize, count, hasnext: hasNext } },
  };
}
