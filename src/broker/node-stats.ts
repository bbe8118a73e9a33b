import { statNames, type StatName, type Stats } from '../domain/stat.ts';

/** The statistics of one node (§2.11): present values, read where they are kept, and the highest since it started. */
export class NodeStats {
  readonly #count: (name: StatName) => number;
  readonly #max = new Map<StatName, number>();

  constructor(count: (name: StatName) => number) {
    this.#count = count;
    this.note(statNames);
  }

  /** These figures may have grown. */
  note(names: readonly StatName[]): void {
    for (const name of names) {
      const count = this.#count(name);
      if (count > (this.#max.get(name) ?? 0)) this.#max.set(name, count);
    }
  }

  read(): Stats {
    const stat = (name: StatName) => ({ count: this.#count(name), max: this.#max.get(name) ?? 0 });
    return {
      clients: stat('clients'),
      sessions: stat('sessions'),
      subscribers: stat('subscribers'),
      subscriptions: stat('subscriptions'),
      topics: stat('topics'),
      routes: stat('routes'),
      retained: stat('retained'),
    };
  }
}
