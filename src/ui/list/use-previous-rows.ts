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

export interface PreviousRows<Row> {
  /** The row as it was on the screen at the refresh before; the same function until the next one. */
  readonly getPrevious: (id: string) => Row | undefined;
  /** Remembers rows that are on the screen now. */
  readonly see: (visible: readonly Row[]) => void;
}

/**
 * The rows as they were on the screen at the refresh before, to tell which cells changed. Remembers only what was
 * visible, so it costs the same for ten rows and for a hundred thousand. `generation` changes with every refresh.
 */
export const usePreviousRows = <Row>(visible: readonly Row[], getId: (row: Row) => string, generation: unknown): PreviousRows<Row> => {
  const [memory] = useState(() => new Memory<Row>());
  const before = memory.before(generation);
  const see = useCallback((rows: readonly Row[]) => { memory.see(generation, rows, getId); }, [memory, generation, getId]);
  useEffect(() => { see(visible); });
  const getPrevious = useCallback((id: string) => before.get(id), [before]);
  return { getPrevious, see };
};
