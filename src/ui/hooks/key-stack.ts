import type { CommandId, Keymap, Scope } from '../keymap.ts';
import type { Stroke } from '../keys.ts';

/** Somebody who hears keys. */
export interface KeyLayer {
  readonly scope: Scope;
  /** What each command does; a command that is missing passes to the layers below. */
  readonly handlers: Partial<Readonly<Record<CommandId, () => void>>>;
  /** Takes typed characters that are bound to nothing here; makes the layer a text field. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Takes pasted text, whole. */
  readonly onPaste?: ((text: string) => void) | undefined;
}

// A dialog opened over a list hears keys first, in whatever order the two were mounted.
const heights: Readonly<Record<Scope, number>> = {
  global: 0, clients: 1, metrics: 1, list: 2, help: 3, prompt: 4, menu: 5, confirm: 6,
};

/** A layer at or above this height hides the ones below it, except the palette's menu above its prompt. */
const modalHeight = heights.help;

/** Quitting works everywhere, whatever is open. */
const always = 'Ctrl-C';

/** The layers that hear keys at the moment, and who gets a stroke. No React in it. */
export class KeyStack {
  readonly #keymap: Keymap;
  readonly #layers: { readonly get: () => KeyLayer; readonly height: number; readonly order: number }[] = [];
  #count = 0;
  #rest: Stroke[] = [];

  constructor(keymap: Keymap) {
    this.#keymap = keymap;
  }

  /** Adds a layer, read anew for every key; the answer takes it away. Of two at one height the later one hears first. */
  push(scope: Scope, get: () => KeyLayer): () => void {
    this.#count += 1;
    const layer = { get, height: heights[scope], order: this.#count };
    this.#layers.push(layer);
    this.#layers.sort((a, b) => b.height - a.height || b.order - a.order);
    return () => {
      const at = this.#layers.indexOf(layer);
      if (at !== -1) {
        this.#layers.splice(at, 1);
      }
    };
  }

  /** The layers that can hear at all, topmost first. */
  #hearing(): readonly KeyLayer[] {
    const layers: KeyLayer[] = [];
    for (const { get, height } of this.#layers) {
      const layer = get();
      layers.push(layer);
      // A menu passes typed text on to the prompt below it; every other dialog is the end.
      if (height >= modalHeight && layer.scope !== 'menu') {
        break;
      }
    }
    return layers;
  }

  /**
   * Gives strokes to the layers in order. After a command that may open something, the rest of a burst
   * belongs to whoever is on top next: `true` says that some is left for `resume`.
   */
  dispatch(strokes: readonly Stroke[]): boolean {
    this.#rest.push(...strokes);
    return this.resume();
  }

  /** Goes on with what `dispatch` left over. `true` when something is left again. */
  resume(): boolean {
    for (let stroke = this.#rest.shift(); stroke !== undefined; stroke = this.#rest.shift()) {
      const taken = this.#give(stroke);
      if (taken === 'dangerous') {
        // Nobody means to answer a question that was not on the screen yet.
        this.#rest = [];
      }
      if (taken === 'command') {
        return this.#rest.length > 0;
      }
    }
    return false;
  }

  #give(stroke: Stroke): 'none' | 'repeat' | 'command' | 'dangerous' {
    const quit = stroke.name === always ? this.#layers.map(({ get }) => get()).find(({ handlers }) => handlers.quit !== undefined) : undefined;
    for (const layer of quit === undefined ? this.#hearing() : [quit]) {
      const binding = this.#keymap.find(layer.scope, stroke.name);
      const handler = binding === undefined ? undefined : layer.handlers[binding.id];
      if (binding !== undefined && handler !== undefined) {
        handler();
        if (binding.isDangerous === true || layer.scope === 'confirm') {
          return 'dangerous';
        }
        return binding.repeats === true ? 'repeat' : 'command';
      }
      if (stroke.text !== undefined && layer.onText !== undefined) {
        layer.onText(stroke.text);
        return 'repeat';
      }
    }
    return 'none';
  }

  /** Gives pasted text to the topmost text field. Pasted text is never a command. */
  paste(text: string): void {
    this.#hearing().find((layer) => layer.onPaste !== undefined)?.onPaste?.(text);
  }
}
