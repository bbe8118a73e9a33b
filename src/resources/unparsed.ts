import type { Unparsed } from '../domain/node.ts';

export function sameTexts(a: Unparsed, b: Unparsed): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

export function lengthOfTexts(texts: Unparsed): number {
  let length = 0;
  for (const key in texts) length += key.length + (texts[key]?.length ?? 0);
  return length;
}
