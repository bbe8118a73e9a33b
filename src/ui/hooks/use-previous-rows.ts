import { useCallback, useEffect, useState } from 'react';

class Memory<Row> {
  #generation: unknown;
  #seen = new Map<string, Row>();
  #before: ReadonlyMap<string, Row> = new Map<string, Row>();

  /** What was seen before this generation. Changes nothing: React may render twice. */
  before(generation: unknown): ReadonlyMap<string, Row> {
    return generation === this.#generation ? this.#before : this.#seen;
  }

  see(generation: unknown, rows: readonly Row[], getId: (row: Row) => string): void {
    if (generation !== this.#generation) {
      this.#before = this.#seen;
      this.#seen = new Map();
      this.#generation = generation;
    }
    for (const row of rows) {
      this.#seen.set(getId(row), row);
    }
  }
}

/**
 * The rows as they were on the screen at the refresh before, to tell which cells changed. Remembers only what was
 * visible, so it costs the same for ten rows and for a hundred thousand. `generation` changes with every refresh.
 */
export const usePreviousRows = <Row>(
  visible: readonly Row[],
  getId: (row: Row) => string,
  generation: unknown,
): ((id: string) => Row | undefined) => {
  const [memory] = useState(() => new Memory<Row>());
  const before = memory.before(generation);
  useEffect(() => {
    memory.see(generation, visible, getId);
  });
  return useCallback((id) => before.get(id), [before]);
};
