import { randomInt } from 'node:crypto';

/** Texts in the order in which they came, each with its place, 0 and up. */
export interface IdIndex {
  /** The place of an id; one that was not there is added behind the others. */
  put(id: string): number;
  /** `undefined` when it is not there. */
  placeOf(id: string): number | undefined;
  /** Takes out all ids whose place does not pass; those behind them move up. */
  keepWhere(isKept: (place: number) => boolean): void;
}

const fewestSlots = 1_024;
const empty = -1;

/**
 * An index of 100,000 ids in numbers alone: a `Map` of objects takes 60 ms to fill, which is half of a scan beside its
 * requests, because the collector of the engine has to go through it again and again. Twice as many slots as ids
 * at least, an id in the next free slot from where its hash says.
 */
export function createIdIndex(): IdIndex {
  // Clients choose their ids: without a secret somebody could choose many with the same hash.
  const seed = randomInt(2 ** 31);
  const factor = randomInt(2 ** 30) * 2 + 1;
  let ids: string[] = [];
  let hashes: number[] = [];
  let slots = new Int32Array(fewestSlots).fill(empty);
  /** Lists come in the order of the last time: what follows the last answer is looked at first. */
  let next = 0;

  function hashOf(id: string): number {
    let hash = seed;
    for (let index = 0; index < id.length; index += 1) {
      hash = Math.imul(hash ^ id.charCodeAt(index), factor);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  /** The slot of an id, or the free one where it belongs. */
  function slotOf(id: string, hash: number): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = slots[slot] ?? empty;
      if (place === empty || (hashes[place] === hash && ids[place] === id)) return slot;
    }
  }

  /** Gives every id a slot anew. */
  function fill(length: number): void {
    slots = new Int32Array(length).fill(empty);
    const mask = length - 1;
    for (let place = 0; place < ids.length; place += 1) {
      let slot = (hashes[place] ?? 0) & mask;
      while (slots[slot] !== empty) slot = (slot + 1) & mask;
      slots[slot] = place;
    }
  }

  return {
    put(id) {
      let place = next;
      if (place >= ids.length || ids[place] !== id) {
        const hash = hashOf(id);
        const slot = slotOf(id, hash);
        place = slots[slot] ?? empty;
        if (place === empty) {
          place = ids.length;
          slots[slot] = place;
          ids.push(id);
          hashes.push(hash);
          if (ids.length * 2 > slots.length) fill(slots.length * 2);
        }
      }
      next = place + 1;
      return place;
    },
    placeOf(id) {
      const place = slots[slotOf(id, hashOf(id))] ?? empty;
      return place === empty ? undefined : place;
    },
    keepWhere(isKept) {
      hashes = hashes.filter((_, place) => isKept(place));
      ids = ids.filter((_, place) => isKept(place));
      next = 0;
      let { length } = slots;
      while (length > fewestSlots && ids.length * 8 < length) length /= 2;
      fill(length);
    },
  };
}
