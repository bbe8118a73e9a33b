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
const layerHeights: Readonly<Record<Scope, number>> = {
  global: 0, scan: 1, routes: 1, subscriptions: 1, opened: 1, metrics: 1, plugins: 1, settings: 1, pluginSettings: 1, users: 1, row: 1, list: 2, tree: 2.5, help: 3, prompt: 4, menu: 5, choices: 5, columns: 5, form: 5, confirmName: 5, bulkPreview: 5, confirm: 6, running: 6, outcome: 6, bulk: 6, tooSmall: 7,
};

/** A layer of at least this height hides the ones below it. */
const modalHeight = layerHeights.help;

/** These pass typed text on to the prompt below them. */
const abovePromptScopes: ReadonlySet<Scope> = new Set(['menu', 'choices', 'form', 'confirmName', 'bulkPreview']);

/** Questions that must not be answered by keys typed ahead. */
const questionScopes: ReadonlySet<Scope> = new Set(['confirm', 'confirmName']);

/** Typed text and Enter answer a question; other keys only move or leave. */
const canAnswer = ({ name, text }: Keystroke): boolean => text !== undefined || name === 'Enter';

/** Commands that work whatever is open. */
const everywhereCommands: Readonly<Record<string, 'quit' | 'repaint' | 'suspend' | undefined>> = { 'Ctrl-C': 'quit', 'Ctrl-L': 'repaint', 'Ctrl-Z': 'suspend' };

/** A layer on the stack. `get` is called for every key; `sinceMs`: since when the layer has been audible. */
interface LayerEntry {
  readonly get: () => KeyLayer;
  readonly height: number;
  readonly order: number;
  sinceMs: number;
}

/** Pasted text in the queue of keystrokes. */
interface Paste {
  readonly pasted: string;
}

/** What a keystroke does. A `repeat` does not depend on what is drawn, so several may be handled in a row. */
interface KeyAction {
  readonly kind: 'repeat' | 'command' | 'dangerous';
  readonly run: () => void;
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
  readonly #layers: LayerEntry[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #catchUps = new Set<() => void>();
  #count = 0;
  #queue: (Keystroke | Paste)[] = [];
  /** What was handled since the screen was last drawn. */
  #undrawn: 'nothing' | KeyAction['kind'] = 'nothing';

  constructor(keymap: Keymap, { settleMs = 0, onCommand }: KeyStackOptions = {}) {
    this.#keymap = keymap;
    this.#settleMs = settleMs;
    this.#onCommand = onCommand;
  }

  /** Adds a layer; the result removes it. Of two layers at one height the later one hears first. */
  push(scope: Scope, get: () => KeyLayer): () => void {
    this.#count += 1;
    const layer: LayerEntry = { get, height: layerHeights[scope], order: this.#count, sinceMs: performance.now() };
    this.#layers.push(layer);
    this.#layers.sort((a, b) => b.height - a.height || b.order - a.order);
    this.#notify();
    return () => {
      const at = this.#layers.indexOf(layer);
      if (at !== -1) {
        this.#layers.splice(at, 1);
        if (layer.height >= modalHeight) {
          // The layers below become visible only now.
          this.#layers.forEach((hidden) => { hidden.sinceMs = performance.now(); });
        }
      }
      this.#notify();
    };
  }

  #notify(): void {
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
    this.#catchUps.add(catchUp);
    return () => { this.#catchUps.delete(catchUp); };
  };

  /** The scope that hears keys first. */
  readonly topScope = (): Scope | undefined => this.#layers[0]?.get().scope;

  /** The layers that are not hidden, topmost first. */
  #hearing(): readonly LayerEntry[] {
    const last = this.#layers.findIndex(({ get, height }) => height >= modalHeight && !abovePromptScopes.has(get().scope));
    return last === -1 ? this.#layers : this.#layers.slice(0, last + 1);
  }

  /**
   * Handles keystrokes in order. A command that acts on what is shown waits until the keystrokes before it are drawn.
   * `true`: something changed or is left, and `resume` must be called after the next drawing.
   */
  dispatch(keystrokes: readonly Keystroke[]): boolean {
    return this.#take(keystrokes);
  }

  /**
   * Gives pasted text to the topmost text field, after the keystrokes before it. Pasted text is never a command. Returns as
   * `dispatch`.
   */
  paste(text: string): boolean {
    return this.#take([{ pasted: text }]);
  }

  #take(input: readonly (Keystroke | Paste)[]): boolean {
    if (this.#undrawn === 'dangerous') {
      // Nobody can mean to answer a question that is not on the screen yet.
      return true;
    }
    this.#queue.push(...input);
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
      for (const catchUp of this.#catchUps) {
        catchUp();
      }
    }
    return isDue;
  }

  #takeRest(): boolean {
    let hasDone = false;
    for (let keystroke = this.#queue[0]; keystroke !== undefined; keystroke = this.#queue[0]) {
      const action = 'pasted' in keystroke ? this.#findPasteAction(keystroke.pasted) : this.#findAction(keystroke);
      const isFree = this.#undrawn === 'nothing' || (this.#undrawn === 'repeat' && action?.kind === 'repeat');
      if (!isFree) {
        return true;
      }
      this.#queue.shift();
      if (action === undefined) {
        continue;
      }
      action.run();
      this.#undrawn = action.kind;
      hasDone ||= action.kind !== 'repeat';
      if (action.kind === 'dangerous') {
        this.#queue = [];
      }
    }
    return hasDone;
  }

  /** What a keystroke does; `undefined` when nothing handles it. */
  #findAction(keystroke: Keystroke): KeyAction | undefined {
    const id = everywhereCommands[keystroke.name];
    const everywhere = id === undefined ? undefined : this.#layers.find(({ get }) => get().handlers[id] !== undefined);
    const layers = everywhere === undefined ? this.#hearing() : [everywhere];
    const isTypedAhead = canAnswer(keystroke) && !this.#hasSettled(layers);
    for (const { get } of layers) {
      const layer = get();
      const binding = this.#keymap.find(layer.scope, keystroke.name);
      const handler = binding === undefined ? undefined : layer.handlers[binding.id];
      if (binding !== undefined && handler !== undefined) {
        if (isTypedAhead && binding.id !== 'confirmNo') {
          return undefined;
        }
        const isDangerous = binding.isDangerous === true || (binding.repeats !== true && (layer.scope === 'confirm' || layer.scope === 'confirmName'));
        return { kind: isDangerous ? 'dangerous' : binding.repeats === true ? 'repeat' : 'command', run: () => { this.#do(binding.id, handler); } };
      }
      const { onText } = layer;
      const { text } = keystroke;
      if (text !== undefined && onText !== undefined) {
        return isTypedAhead ? undefined : { kind: 'repeat', run: () => { onText(text); } };
      }
    }
    return undefined;
  }

  /** No layer is a question that may not have been read yet. */
  #hasSettled(layers: readonly LayerEntry[]): boolean {
    return layers.every(({ get, sinceMs }) => !questionScopes.has(get().scope) || performance.now() - sinceMs >= this.#settleMs);
  }

  #findPasteAction(text: string): KeyAction | undefined {
    const layers = this.#hearing();
    const onPaste = layers.map(({ get }) => get().onPaste).find((run) => run !== undefined);
    return onPaste === undefined || !this.#hasSettled(layers) ? undefined : { kind: 'repeat', run: () => { onPaste(text); } };
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
