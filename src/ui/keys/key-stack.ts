import type { Keystroke } from '../../terminal/keys.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { CommandId, Keymap, KnownBinding, Scope } from './keymap.ts';

/** Something that can be done by its name and has no key. */
export interface NamedCommand {
  readonly name: SafeText;
  readonly run: () => void;
}

/** Somebody who hears keys. */
export interface KeyLayer {
  readonly scope: Scope;
  /** What each command does; a command that is missing passes to the layers below. */
  readonly handlers: { readonly [Id in CommandId]?: (() => void) | undefined };
  /** Takes typed characters that are bound to nothing here; makes the layer a text field. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Takes pasted text, whole. */
  readonly onPaste?: ((text: string) => void) | undefined;
  /** What the palette offers besides. */
  readonly named?: readonly NamedCommand[] | undefined;
}

// A dialog opened over a list hears keys first, in whatever order the two were mounted.
const heights: Readonly<Record<Scope, number>> = {
  global: 0, scan: 1, routes: 1, subscriptions: 1, opened: 1, metrics: 1, plugins: 1, settings: 1, pluginSettings: 1, users: 1, row: 1, list: 2, tree: 2.5, help: 3, prompt: 4, menu: 5, choices: 5, columns: 5, form: 5, confirmName: 5, bulkPreview: 5, confirm: 6, running: 6, outcome: 6, bulk: 6, tooSmall: 7,
};

/** A layer at or above this height hides the ones below it, except those that stand above a prompt. */
const modalHeight = heights.help;

/** These pass on what is typed to the prompt below them. */
const abovePrompt: ReadonlySet<Scope> = new Set(['menu', 'choices', 'form', 'confirmName', 'bulkPreview']);

/** These ask for an answer, together with the line that it is typed into. */
const questions: ReadonlySet<Scope> = new Set(['confirm', 'confirmName']);

/** May answer a question: what is typed, and Enter. What only leaves or moves may not. */
const isAnswer = ({ name, text }: Keystroke): boolean => text !== undefined || name === 'Enter';

/** These work everywhere, whatever is open. */
const always: Readonly<Record<string, 'quit' | 'repaint' | 'suspend' | undefined>> = { 'Ctrl-C': 'quit', 'Ctrl-L': 'repaint', 'Ctrl-Z': 'suspend' };

/** A layer in its place, read anew for every key; `sinceMs`: since when it could be heard. */
interface Standing {
  readonly get: () => KeyLayer;
  readonly height: number;
  readonly order: number;
  sinceMs: number;
}

/** A text that was pasted, between strokes. */
interface Pasted {
  readonly pasted: string;
}

/** What a stroke does. A `repeat` depends on nothing that is drawn, so several may come in a row. */
interface Taker {
  readonly kind: 'repeat' | 'command' | 'dangerous';
  readonly take: () => void;
}

export interface KeyStackOptions {
  /** A question hears no character and no Enter, but to be told no, before it has stood there for so many milliseconds (0 unless told): what was typed ahead is no answer to it. */
  readonly settleMs?: number | undefined;
  /** Hears of each command before it is done. */
  readonly onCommand?: ((id: CommandId) => void) | undefined;
}

/** The layers that hear keys at the moment, and who gets a stroke. No React in it. */
export class KeyStack {
  readonly #keymap: Keymap;
  readonly #settleMs: number;
  readonly #onCommand: ((id: CommandId) => void) | undefined;
  readonly #layers: Standing[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #late = new Set<() => void>();
  #count = 0;
  #rest: (Keystroke | Pasted)[] = [];
  /** What was done since the screen was last known to be drawn. */
  #undrawn: 'nothing' | Taker['kind'] = 'nothing';

  constructor(keymap: Keymap, { settleMs = 0, onCommand }: KeyStackOptions = {}) {
    this.#keymap = keymap;
    this.#settleMs = settleMs;
    this.#onCommand = onCommand;
  }

  /** Adds a layer, read anew for every key; the answer takes it away. Of two at one height the later one hears first. */
  push(scope: Scope, get: () => KeyLayer): () => void {
    this.#count += 1;
    const layer: Standing = { get, height: heights[scope], order: this.#count, sinceMs: performance.now() };
    this.#layers.push(layer);
    this.#layers.sort((a, b) => b.height - a.height || b.order - a.order);
    this.#tell();
    return () => {
      const at = this.#layers.indexOf(layer);
      if (at !== -1) {
        this.#layers.splice(at, 1);
        if (layer.height >= modalHeight) {
          // What it hid comes into sight only now.
          this.#layers.forEach((hidden) => { hidden.sinceMs = performance.now(); });
        }
      }
      this.#tell();
    };
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** Calls `listener` when layers come and go; the answer ends it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls `catchUp`, which has all drawn that was not drawn yet, before a drawing that a stroke waits for; the answer ends it. */
  readonly beforeDrawing = (catchUp: () => void): (() => void) => {
    this.#late.add(catchUp);
    return () => { this.#late.delete(catchUp); };
  };

  /** Who hears first. */
  readonly topScope = (): Scope | undefined => this.#layers[0]?.get().scope;

  /** The layers that can hear at all, topmost first. */
  #hearing(): readonly Standing[] {
    const last = this.#layers.findIndex(({ get, height }) => height >= modalHeight && !abovePrompt.has(get().scope));
    return last === -1 ? this.#layers : this.#layers.slice(0, last + 1);
  }

  /**
   * Gives strokes to the layers in order, however many come before the screen is drawn again. What acts
   * on what is shown must have seen the strokes before it: `true` says that something was done or is left,
   * and that `resume` has to be called after the next drawing.
   */
  dispatch(strokes: readonly Keystroke[]): boolean {
    return this.#take(strokes);
  }

  /** Gives pasted text to the topmost text field, after the strokes before it. Pasted text is never a command. `true` as there. */
  paste(text: string): boolean {
    return this.#take([{ pasted: text }]);
  }

  #take(input: readonly (Keystroke | Pasted)[]): boolean {
    if (this.#undrawn === 'dangerous') {
      // Nobody means to answer a question that was not on the screen yet.
      return true;
    }
    this.#rest.push(...input);
    return this.#run();
  }

  /** Goes on with what `dispatch` left over, now that all before it is drawn. `true` as there. */
  resume(): boolean {
    this.#undrawn = 'nothing';
    return this.#run();
  }

  #run(): boolean {
    const isDue = this.#takeRest();
    if (isDue) {
      for (const catchUp of this.#late) {
        catchUp();
      }
    }
    return isDue;
  }

  #takeRest(): boolean {
    let hasDone = false;
    for (let stroke = this.#rest[0]; stroke !== undefined; stroke = this.#rest[0]) {
      const taker = 'pasted' in stroke ? this.#findPasteTaker(stroke.pasted) : this.#find(stroke);
      const isFree = this.#undrawn === 'nothing' || (this.#undrawn === 'repeat' && taker?.kind === 'repeat');
      if (!isFree) {
        return true;
      }
      this.#rest.shift();
      if (taker === undefined) {
        continue;
      }
      taker.take();
      this.#undrawn = taker.kind;
      hasDone ||= taker.kind !== 'repeat';
      if (taker.kind === 'dangerous') {
        this.#rest = [];
      }
    }
    return hasDone;
  }

  /** Who takes a stroke; `undefined` when nobody does. */
  #find(stroke: Keystroke): Taker | undefined {
    const id = always[stroke.name];
    const everywhere = id === undefined ? undefined : this.#layers.find(({ get }) => get().handlers[id] !== undefined);
    const layers = everywhere === undefined ? this.#hearing() : [everywhere];
    const isTypedAhead = isAnswer(stroke) && !this.#hasSettled(layers);
    for (const { get } of layers) {
      const layer = get();
      const binding = this.#keymap.find(layer.scope, stroke.name);
      const handler = binding === undefined ? undefined : layer.handlers[binding.id];
      if (binding !== undefined && handler !== undefined) {
        if (isTypedAhead && binding.id !== 'confirmNo') {
          return undefined;
        }
        const isDangerous = binding.isDangerous === true || (binding.repeats !== true && (layer.scope === 'confirm' || layer.scope === 'confirmName'));
        return { kind: isDangerous ? 'dangerous' : binding.repeats === true ? 'repeat' : 'command', take: () => { this.#do(binding.id, handler); } };
      }
      const { onText } = layer;
      const { text } = stroke;
      if (text !== undefined && onText !== undefined) {
        return isTypedAhead ? undefined : { kind: 'repeat', take: () => { onText(text); } };
      }
    }
    return undefined;
  }

  /** None of them is a question that may not have been read yet. */
  #hasSettled(layers: readonly Standing[]): boolean {
    return layers.every(({ get, sinceMs }) => !questions.has(get().scope) || performance.now() - sinceMs >= this.#settleMs);
  }

  #findPasteTaker(text: string): Taker | undefined {
    const layers = this.#hearing();
    const onPaste = layers.map(({ get }) => get().onPaste).find((take) => take !== undefined);
    return onPaste === undefined || !this.#hasSettled(layers) ? undefined : { kind: 'repeat', take: () => { onPaste(text); } };
  }

  /** The layers below every dialog, topmost first. */
  #below(): readonly KeyLayer[] {
    return this.#layers.filter(({ height }) => height < modalHeight).map(({ get }) => get());
  }

  /** What the screen below the dialogs can do now, by any key; what only moves is left out. */
  available(): readonly KnownBinding[] {
    const layers = this.#below();
    return this.#keymap.bindings.filter(({ id, scope, repeats }) =>
      repeats !== true && layers.some((layer) => layer.scope === scope && layer.handlers[id] !== undefined));
  }

  /** What the screen below the dialogs can do that has no key. */
  named(): readonly NamedCommand[] {
    return this.#below().flatMap(({ named = [] }) => named);
  }

  /** Does what a key of that binding would do below the dialogs. */
  run(id: CommandId): void {
    const handler = this.#below().find(({ handlers }) => handlers[id] !== undefined)?.handlers[id];
    if (handler !== undefined) {
      this.#do(id, handler);
    }
  }

  #do(id: CommandId, handler: () => void): void {
    this.#onCommand?.(id);
    handler();
  }
}
