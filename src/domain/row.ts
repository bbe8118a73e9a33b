type Properties = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Properties => typeof value === 'object' && value !== null;

/** Whether two rows say the same: compares all properties, also those of objects in them, so that none can be forgotten. */
export const isSameRow = (a: unknown, b: unknown): boolean =>
  a === b || (isObject(a) && isObject(b) && haveSameProperties(a, b));

function haveSameProperties(a: Properties, b: Properties): boolean {
  let count = 0;
  for (const name in a) {
    count += 1;
    if (!isSameRow(a[name], b[name])) return false;
  }
  for (const _ in b) count -= 1;
  return count === 0;
}

/** Counts the characters of all texts of a row, which its memory depends on. */
export function textLengthOf(row: unknown): number {
  if (typeof row === 'string') return row.length;
  let length = 0;
  if (isObject(row)) for (const name in row) length += textLengthOf(row[name]);
  return length;
}
