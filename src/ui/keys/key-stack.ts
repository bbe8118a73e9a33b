import type { Keystroke } from '../../terminal/keys.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { CommandId, Keymap, KnownBinding, Scope } from './keymap.ts';

/** A command of the palette without a key. */
export interface NamedCommand {
  readonly name: SafeText;
  readonly run: () => void;
}

/** Handlers of one scope. */
export interface KeyLayer {
  readonly scope: Scope;
  /** Commands without a handler pass to the layers below. */
  readonly handlers: { readonly [Id in CommandId]?: (() => void) | undefined };
  /** Takes typed characters that are not bound here; makes the layer a text field. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Takes pasted text as a whole. */
  readonly onPaste?: ((text: string) => void) | undefined;
  /** Commands of the palette without a key. */
  readonly named?: readonly NamedCommand[] | undefined;
}

// A dialog hears keys before the list below it, whichever was mounted first.
const heights: Readonly<Record<Scope, number>> = {
  global: 0, scan: 1, routes: 1, subscriptions: 1, opened: 1, metrics: 1, plugins: 1, settings: 1, pluginSettings: 1, users: 1, row: 1, list: 2, tree: 2.5, help: 3, prompt: 4, menu: 5, choices: 5, columns: 5, form: 5, confirmName: 5, bulkPreview: 5, confirm: 6, running: 6, outcome: 6, bulk: 6, tooSmall: 7,
};

/** A layer of at least this height hides the ones below it. */
const modalHeight = heights.help;

/** These pass typed text on to the prompt below them. */
const abovePrompt: ReadonlySet<Scope> = new Set(['menu', 'choices', 'form', 'confirmName', 'bulkPreview']);

/** Questions that must not be answered by keys typed ahead. */
const questions: ReadonlySet<Scope> = new Set(['confirm', 'confirmName']);

/** Typed text and Enter answer a question; other keys only move or leave. */
const isAnswer = ({ name, text }: Keystroke): boolean => text !== undefined || name === 'Enter';

/** Commands that work whatever is open. */
const always: Readonly<Record<string, 'quit' | 'repaint' | 'suspend' | undefined>> = { 'Ctrl-C': 'quit', 'Ctrl-L': 'repaint', 'Ctrl-Z': 'suspend' };

/** A layer on the stack. `get` is called for every key; `sinceMs`: since when the layer has been audible. */
interface Standing {
  readonly get: () => KeyLayer;
  readonly height: number;
  readonly order: number;
  sinceMs: number;
}

/** Pasted text in the queue of keystrokes. */
interface Pasted {
  readonly pasted: string;
}

/** What a keystroke does. A `repeat` does not depend on what is drawn, so several may be handled in a row. */
interface Taker {
  readonly kind: 'repeat' | 'command' | 'dangerous';
  readonly take: () => void;
}

export interface KeyStackOptions {
  /**
   * How long a question ignores text and Enter, except for `no`, in milliseconds; 0 by default. Keys typed ahead are not an
   * answer.
   */
  readonly settleMs?: number | undefined;
  /** Called before each command. */
  readonly onCommand?: ((id: CommandId) => void) | undefined;
}

/** Decides which layer handles a keystroke. Knows nothing of React. */
export class KeyStack {
  readonly #keymap: Keymap;
  readonly #settleMs: number;
  readonly #onCommand: ((id: CommandId) => void) | undefined;
  readonly #layers: Standing[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #late = new Set<() => void>();
  #count = 0;
  #rest: (Keystroke | Pasted)[] = [];
  /** What was handled since the screen was last drawn. */
  #undrawn: 'nothing' | Taker['kind'] = 'nothing';

  constructor(keymap: Keymap, { settleMs = 0, onCommand }: KeyStackOptions = {}) {
    this.#keymap = keymap;
    this.#settleMs = settleMs;
    this.#onCommand = onCommand;
  }

  /** Adds a layer; the result removes it. Of two layers at one height the later one hears first. */
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
          // The layers below become visible only now.
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

  /** Calls `listener` when layers come and go; the result unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls `catchUp` before a drawing that keystrokes wait for; the result unsubscribes. */
  readonly beforeDrawing = (catchUp: () => void): (() => void) => {
    this.#late.add(catchUp);
    return () => { this.#late.delete(catchUp); };
  };

  /** The scope that hears keys first. */
  readonly topScope = (): Scope | undefined => this.#layers[0]?.get().scope;

  /** The layers that are not hidden, topmost first. */
  #hearing(): readonly Standing[] {
    const last = this.#layers.findIndex(({ get, height }) => height >= modalHeight && !abovePrompt.has(get().scope));
    return last === -1 ? this.#layers : this.#layers.slice(0, last + 1);
  }

  /**
   * Handles keystrokes in order. A command that acts on what is shown waits until the keystrokes before it are drawn.
   * `true`: something changed or is left, and `resume` must be called after the next drawing.
   */
  dispatch(strokes: readonly Keystroke[]): boolean {
    return this.#take(strokes);
  }

  /**
   * Gives pasted text to the topmost text field, after the keystrokes before it. Pasted text is never a command. Returns as
   * `dispatch`.
   */
  paste(text: string): boolean {
    return this.#take([{ pasted: text }]);
  }

  #take(input: readonly (Keystroke | Pasted)[]): boolean {
    if (this.#undrawn === 'dangerous') {
      // Nobody can mean to answer a question that is not on the screen yet.
      return true;
    }
    this.#rest.push(...input);
    return this.#run();
  }

  /** Handles what `dispatch` left, now that all before it is drawn. Returns as `dispatch`. */
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

  /** What a keystroke does; `undefined` when nothing handles it. */
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

  /** No layer is a question that may not have been read yet. */
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

  /** The commands of the screen below the dialogs, without those that only move. */
  available(): readonly KnownBinding[] {
    const layers = this.#below();
    return this.#keymap.bindings.filter(({ id, scope, repeats }) =>
      repeats !== true && layers.some((layer) => layer.scope === scope && layer.handlers[id] !== undefined));
  }

  /** The commands without a key of the screen below the dialogs. */
  named(): readonly NamedCommand[] {
    return this.#below().flatMap(({ named = [] }) => named);
  }

  /** Runs a command of the screen below the dialogs. */
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
