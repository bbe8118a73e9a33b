/** Bounds a collection keyed by names that change forever: deletes the entries written first until `max` are left. */
export function forgetOldest(kept: Map<string, unknown> | Set<string>, max: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= max) return;
    kept.delete(key);
  }
}
