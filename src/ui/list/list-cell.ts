import { type ListAction, type ListState, reduceList } from './list-state.ts';

/** Shows the list at another place without drawing anything else; `false` when it cannot. */
type ShowList = (state: ListState) => boolean;

/** How long the rest of the screen waits for keys that follow each other. */
const heardAfterMs = 100;

/**
 * Where one list stands, kept outside React: a key that only moves can be shown at once, and React hears of it when no
 * other follows. So whatever else is drawn meanwhile reads the place from here.
 */
export class ListCell {
  readonly #onChange: (state: ListState) => void;
  readonly #listeners = new Set<() => void>();
  #state: ListState;
  #show: ShowList | undefined;
  #timer: NodeJS.Timeout | undefined;
  #version = 0;

  /** `onChange` hears of every change at once. */
  constructor(state: ListState, onChange: (state: ListState) => void) {
    this.#state = state;
    this.#onChange = onChange;
  }

  get state(): ListState {
    return this.#state;
  }

  /** Another number once React is to draw the list anew. */
  readonly version = (): number => this.#version;

  /** Calls `listener` when React is to draw the list anew; the answer ends it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  };

  /** Until the answer is called, moves are shown by `show`. */
  readonly showMovesBy = (show: ShowList): (() => void) => {
    this.#show = show;
    return () => {
      this.#show = undefined;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  };

  readonly dispatch = (action: ListAction): void => {
    if (this.#change(reduceList(this.#state, action))) {
      this.#tell();
    }
  };

  /** As `dispatch`, for what changes nothing but the place of cursor and window. */
  readonly move = (action: ListAction): void => {
    if (!this.#change(reduceList(this.#state, action))) {
      return;
    }
    if (this.#show?.(this.#state) === true) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.catchUp, heardAfterMs);
    } else {
      this.#tell();
    }
  };

  /** Has React hear at once of moves that it has not heard of. */
  readonly catchUp = (): void => {
    if (this.#timer !== undefined) {
      this.#tell();
    }
  };

  /** The list has just been drawn as `to`, which was `from` before it had the rows of now. */
  readonly adopt = (from: ListState, to: ListState): void => {
    if (this.#state === from) {
      this.#change(to);
    }
  };

  #change(state: ListState): boolean {
    const isOther = state !== this.#state;
    this.#state = state;
    if (isOther) {
      this.#onChange(state);
    }
    return isOther;
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#version += 1;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
