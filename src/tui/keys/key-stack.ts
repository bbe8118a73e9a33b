import type { Keystroke } from '../../terminal/keys.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Input, MouseInput, TypedKey } from './key-input.ts';
import type { LayerTraits } from './catalog.ts';
import type { Keymap } from './keymap.ts';
import type { CommandId, KnownBinding, Scope } from './bindings.ts';

export interface NamedCommand {
  readonly name: SafeText;
  /** The section of the palette. */
  readonly group: 'Screens' | 'List' | 'Actions' | 'Time' | 'Program';
  readonly aliases?: readonly string[] | undefined;
  readonly run: () => void;
}

/** Called with the name of the key, if one was pressed. */
export type KeyHandler = (key?: string) => void;

export interface KeyLayer {
  readonly scope: Scope;
  /** Handlers of commands. Those without one pass to the layers below. */
  readonly handlers: { readonly [Id in CommandId]?: KeyHandler | undefined };
  readonly onText?: ((text: string) => void) | undefined;
  readonly onPaste?: ((text: string) => void) | undefined;
  /** The layer was not opened by a key, so what is typed at first was meant for something else. */
  readonly isUnexpected?: boolean | undefined;
  readonly named?: readonly NamedCommand[] | undefined;
  /** The subject that the commands act on. */
  readonly subject?: SafeText | undefined;
}

/** The layers of a screen, which are not listed here. */
const screenHeight = 1;

/** A layer gets the keys that those above it do not handle, whichever was mounted first. */
const layerHeights = {
  global: 0,
  list: 2,
  past: 2.6,
  notice: 2.8,
  help: 3,
  helpSearch: 3.5,
  prompt: 4,
  menu: 5,
  choices: 5,
  columns: 5,
  form: 5,
  confirmName: 5,
  confirm: 6,
  running: 6,
  outcome: 6,
  secret: 6,
  tooSmall: 7,
} as const satisfies { readonly [Of in Scope]?: number };

/** The heights of the program's own layers. */
const ownHeights = {
  lists: 2.5,
  prompts: layerHeights.form,
  forms: layerHeights.outcome,
} as const satisfies Record<LayerTraits['above'], number>;

const heightOf = (scope: Scope, traits: LayerTraits | undefined): number => {
  if (scope in layerHeights) return layerHeights[scope as keyof typeof layerHeights];
  return traits === undefined ? screenHeight : ownHeights[traits.above];
};

const modalHeight = layerHeights.help;
/** The height from which on layers are dialogs; prompts are lower. */
const dialogHeight = layerHeights.menu;

const abovePromptScopes: ReadonlySet<Scope> = new Set(['helpSearch', 'menu', 'choices', 'form', 'confirmName']);

/** Questions that must not be answered by keys typed ahead; a secret would be gone. */
const questionScopes: ReadonlySet<Scope> = new Set(['confirm', 'confirmName', 'secret']);

/**
 * The share of the time that a question ignores answers: for so long a `q` after one that closed something does not
 * quit.
 */
const repeatedCloseShare = 0.5;

/**
 * The share of the time that a question ignores answers: for so long after a dialog a `y` does nothing else, because it
 * may be a late answer.
 */
const lateAnswerShare = 2;

const answersQuestion = ({ id, repeats }: KnownBinding, scope: Scope): boolean =>
  repeats !== true && questionScopes.has(scope) && id !== 'confirmNo' && id !== 'nameCancel';

/** Whether a key answers a question: typed text and Enter do; other keys only move or leave. */
const canAnswer = ({ name, text }: Keystroke): boolean => text !== undefined || name === 'Enter';

const arrows: ReadonlySet<string> = new Set(['Up', 'Down', 'Left', 'Right']);

const goesElsewhere = ({ id, group, keys }: KnownBinding): boolean =>
  group === 'Screens' || group === 'Move' || id === 'palette' || id === 'help' || keys.some((key) => arrows.has(key));

const everywhereCommands: Readonly<Record<string, 'quit' | 'repaint' | 'suspend' | undefined>> = {
  'Ctrl-C': 'quit',
  'Ctrl-L': 'repaint',
  'Ctrl-Z': 'suspend',
};

/** `get` is called for every key; `sinceMs`: when it became visible. */
interface LayerEntry {
  readonly get: () => KeyLayer;
  readonly height: number;
  readonly order: number;
  sinceMs: number;
}

/** Scopes in which a click may do anything: nothing there acts on the broker. */
const clickableScopes: ReadonlySet<Scope> = new Set(['help', 'helpSearch', 'columns', 'prompt']);

/** Whether a hint of a dialog can be clicked: it only moves, cancels or closes; its buttons are for the rest. */
const isClickable = ({ group, scope, keys, repeats }: KnownBinding): boolean =>
  group !== 'Dialogs' || clickableScopes.has(scope) || repeats === true || keys.includes('Esc');

/** The effect of a keystroke. A `repeat` does not depend on what is drawn, so several may be handled in a row. */
interface KeyAction {
  readonly kind: 'repeat' | 'command' | 'dangerous';
  /** No command has the key. */
  readonly isUnknown?: true;
  readonly run: () => void;
}

export interface KeyStackOptions {
  /**
   * How many milliseconds a question, or a prompt that no key opened, ignores text, Enter and clicks, except `no`: keys
   * typed ahead and double clicks are no answer; default 0.
   */
  readonly settleMs?: number | undefined;
  readonly onCommand?: ((id: CommandId) => void) | undefined;
}

export class KeyStack {
  #keymap: Keymap;
  readonly #settleMs: number;
  #onCommand: ((id: CommandId) => void) | undefined;
  readonly #layers: LayerEntry[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #catchUps = new Set<() => void>();
  readonly #inputListeners = new Set<() => void>();
  #count = 0;
  #version = 0;
  #hasIgnored = false;
  /** The time when `q` was last pressed and did not quit. */
  #closedMs = Number.NEGATIVE_INFINITY;
  #dialogClosedMs = Number.NEGATIVE_INFINITY;
  #queue: Input[] = [];
  #bursts = 0;
  /** The last burst that had a letter without a command. */
  #foreignBurst = 0;
  /** An answer was given that is not drawn yet. */
  #isAnswered = false;
  /** `resume` is to be called after the next drawing. */
  #isWaiting = false;
  /** The kind of key that was handled since the screen was last drawn. */
  #undrawn: 'nothing' | KeyAction['kind'] = 'nothing';

  constructor(keymap: Keymap, { settleMs = 0, onCommand }: KeyStackOptions = {}) {
    this.#keymap = keymap;
    this.#settleMs = settleMs;
    this.#onCommand = onCommand;
  }

  /** Adds a layer. Returns a function that removes it. Of two layers at one height the later one comes first. */
  push(scope: Scope, get: () => KeyLayer): () => void {
    this.#count += 1;
    const layer: LayerEntry = {
      get,
      height: heightOf(scope, this.#traitsOf(scope)),
      order: this.#count,
      sinceMs: performance.now(),
    };
    this.#layers.push(layer);
    this.#layers.sort((a, b) => b.height - a.height || b.order - a.order);
    this.#notify();
    return () => {
      const at = this.#layers.indexOf(layer);
      if (at !== -1) {
        this.#layers.splice(at, 1);
        if (layer.height >= dialogHeight) this.#dialogClosedMs = performance.now();
        if (layer.height >= modalHeight) {
          // The layers below become visible only now.
          this.#layers.forEach((hidden) => {
            hidden.sinceMs = performance.now();
          });
        }
      }
      this.#notify();
    };
  }

  /** Replaces the keys. What is typed already and not handled yet gets the new ones. */
  setKeymap(keymap: Keymap): void {
    if (this.#keymap === keymap) return;
    this.#keymap = keymap;
    this.#notify();
  }

  setOnCommand(onCommand: ((id: CommandId) => void) | undefined): void {
    this.#onCommand = onCommand;
  }

  #traitsOf(scope: Scope): LayerTraits | undefined {
    return this.#keymap.catalog.layers[scope];
  }

  #isAbovePrompt(scope: Scope): boolean {
    return abovePromptScopes.has(scope) || this.#traitsOf(scope)?.above === 'prompts';
  }

  /** Returns the command by which a key that goes elsewhere closes a dialog that only reports. */
  #leaveOf(scope: Scope): CommandId | undefined {
    return scope === 'outcome' ? 'outcomeClose' : this.#traitsOf(scope)?.leave;
  }

  #notify(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls the listener with each input, before it does anything; what comes together is one. */
  readonly onInput = (listener: () => void): (() => void) => {
    this.#inputListeners.add(listener);
    return () => {
      this.#inputListeners.delete(listener);
    };
  };

  readonly beforeDrawing = (catchUp: () => void): (() => void) => {
    this.#catchUps.add(catchUp);
    return () => {
      this.#catchUps.delete(catchUp);
    };
  };

  /** Changes when a key may do something else. */
  readonly version = (): number => this.#version;

  /** Called when a layer handles other commands than before. */
  readonly noteHandlers = (): void => {
    this.#notify();
  };

  /** Whether an answer came too soon after its question, or together with other keys, and no key was accepted since. */
  readonly hasIgnored = (): boolean => this.#hasIgnored;

  #setIgnored(hasIgnored: boolean): void {
    if (this.#hasIgnored === hasIgnored) return;
    this.#hasIgnored = hasIgnored;
    this.#notify();
  }

  readonly topScope = (): Scope | undefined => this.#layers[0]?.get().scope;

  /** Returns the layers that get keys: a dialog's, with the prompt below its menu, or all of a screen. */
  #visible(layers: readonly LayerEntry[] = this.#layers): readonly LayerEntry[] {
    const last = layers.findIndex(({ get, height }) => height >= modalHeight && !this.#isAbovePrompt(get().scope));
    if (last !== -1) return layers.slice(0, last + 1);
    const dialogs = layers.filter(({ height }) => height >= modalHeight);
    return dialogs.length > 0 ? dialogs : layers;
  }

  /**
   * Handles keystrokes. A command that acts on what is shown waits until those before it are drawn. Several that come
   * at once answer no question. Returns `true` if `resume` has to be called once after the next drawing.
   */
  dispatch(keystrokes: readonly Keystroke[]): boolean {
    this.#bursts += 1;
    return this.#take(
      keystrokes.map((keystroke) => ({ ...keystroke, isOfSeveral: keystrokes.length > 1, burst: this.#bursts })),
    );
  }

  /** Handles pasted text after the keystrokes before it. Returns what `dispatch` does. */
  paste(text: string): boolean {
    return this.#take([{ pasted: text }]);
  }

  /** Runs a command that was clicked, unless it is hidden by a dialog or answers one. Returns what `dispatch` does. */
  click(id: CommandId): boolean {
    return this.#take([{ clicked: id }]);
  }

  /**
   * Does what `click` does for a button of a dialog, which may also answer. What its key would not do now, it does not
   * do either. Returns what `dispatch` does.
   */
  clickButton(id: CommandId): boolean {
    return this.#take([{ clicked: id, isButton: true }]);
  }

  /** Handles a click in something that belongs to a layer, unless that is hidden. Returns what `dispatch` does. */
  clickIn(scope: Scope, run: () => void): boolean {
    return this.#take([{ scope, run }]);
  }

  /** Moves by rows as arrow keys do; nothing where these do something else. Returns what `dispatch` does. */
  roll(direction: 'Up' | 'Down', rows: number): boolean {
    return this.#take(Array.from({ length: rows }, () => ({ rolled: direction })));
  }

  #take(input: readonly Input[]): boolean {
    for (const listener of this.#inputListeners) listener();
    this.#queue.push(...input);
    // A second `resume` could come before the drawing that the first one waits for has what it handles.
    return this.#isWaiting ? false : this.#run();
  }

  /** Handles what `dispatch` left. Returns what `dispatch` does. */
  resume(): boolean {
    if (this.#undrawn === 'dangerous' && this.#queue.length > 0) {
      // A question that was not drawn yet cannot be answered, and an answer may be followed by another dialog.
      const isDropped = this.#isAnswered || this.#hasDialog();
      // The mouse was aimed at what was drawn before.
      this.#queue = isDropped ? [] : this.#queue.filter((input) => 'name' in input || 'pasted' in input);
      if (this.#asks(this.#visible())) this.#setIgnored(true);
    }
    this.#undrawn = 'nothing';
    return this.#run();
  }

  /** Gives a question that is drawn in another size its time to be read again. */
  readonly settleAgain = (): void => {
    this.#layers.forEach((layer) => {
      layer.sinceMs = performance.now();
    });
  };

  #hasDialog(): boolean {
    return this.#layers.some(({ height }) => height >= modalHeight);
  }

  #asks(layers: readonly LayerEntry[]): boolean {
    return layers.some(({ get }) => questionScopes.has(get().scope));
  }

  #run(): boolean {
    this.#isWaiting = this.#takeRest();
    if (this.#isWaiting) {
      for (const catchUp of this.#catchUps) {
        catchUp();
      }
    }
    return this.#isWaiting;
  }

  #takeRest(): boolean {
    let hasDone = false;
    for (let keystroke = this.#queue[0]; keystroke !== undefined; keystroke = this.#queue[0]) {
      // What this key means depends on whether the one before opens a question.
      if (this.#undrawn === 'dangerous') return true;
      const action = this.#find(keystroke);
      const isFree = this.#undrawn === 'nothing' || (this.#undrawn === 'repeat' && action?.kind === 'repeat');
      if (!isFree) {
        return true;
      }
      this.#queue.shift();
      if (this.#isForSomethingElse(keystroke, action)) {
        continue;
      }
      if (action === undefined) {
        continue;
      }
      this.#setIgnored(false);
      this.#isAnswered = this.#hasDialog();
      action.run();
      this.#undrawn = action.kind;
      hasDone ||= action.kind !== 'repeat';
    }
    return hasDone;
  }

  /** Whether Enter or a dangerous key came together with a letter that is no key of the screen: that was text for something else. */
  #isForSomethingElse(input: Input, action: KeyAction | undefined): boolean {
    if (!('name' in input)) return false;
    const isUnknown = input.text !== undefined && (action === undefined || action.isUnknown === true);
    if (isUnknown && !this.#hasDialog()) this.#foreignBurst = input.burst;
    return input.burst === this.#foreignBurst && (input.name === 'Enter' || action?.kind === 'dangerous');
  }

  #find(input: Input): KeyAction | undefined {
    if ('name' in input) return this.#findAction(input);
    return 'pasted' in input ? this.#findPasteAction(input.pasted) : this.#findMouseAction(input);
  }

  #findMouseAction(input: MouseInput): KeyAction | undefined {
    // The wheel scrolls what a prompt searches.
    const layers =
      'rolled' in input ? this.#visible(this.#layers.filter(({ get }) => get().scope !== 'prompt')) : this.#visible();
    const dialogs = layers.filter(({ height }) => height >= modalHeight);
    for (const { get } of dialogs.length > 0 ? dialogs : this.#layers) {
      const { scope, handlers } = get();
      if ('run' in input) {
        if (scope === input.scope) return { kind: 'command', run: input.run };
        continue;
      }
      const binding =
        'rolled' in input
          ? this.#keymap.find(scope, input.rolled)
          : this.#keymap.bindings.find((each) => each.id === input.clicked && each.scope === scope);
      const handler = binding === undefined ? undefined : handlers[binding.id];
      if (binding !== undefined && handler !== undefined) {
        const isAnswer = answersQuestion(binding, scope);
        const isAllowed =
          'rolled' in input
            ? binding.repeats === true && scope !== 'form'
            : input.isButton === true
              ? !isAnswer || this.#hasSettled(dialogs)
              : isClickable(binding);
        const kind =
          binding.isDangerous === true || isAnswer ? 'dangerous' : binding.repeats === true ? 'repeat' : 'command';
        return isAllowed
          ? {
              kind,
              run: () => {
                this.#do(binding.id, handler);
              },
            }
          : undefined;
      }
    }
    return 'clicked' in input
      ? this.#findLeaving((scope) =>
          this.#keymap.bindings.find((each) => each.id === input.clicked && each.scope === scope),
        )?.action
      : undefined;
  }

  /** Finds a command below a dialog that only reports; running it closes the dialog. */
  #findLeaving(
    find: (scope: Scope) => KnownBinding | undefined,
  ): { readonly id: CommandId; readonly action: KeyAction } | undefined {
    const dialog = this.#visible().find(({ get }) => this.#leaveOf(get().scope) !== undefined);
    const command = dialog === undefined ? undefined : this.#leaveOf(dialog.get().scope);
    const leave = command === undefined ? undefined : dialog?.get().handlers[command];
    if (dialog === undefined || leave === undefined) return undefined;
    for (const { scope, handlers } of this.#below()) {
      const binding = find(scope);
      const handler = binding === undefined ? undefined : handlers[binding.id];
      if (binding === undefined || handler === undefined) continue;
      const run = (): void => {
        if (performance.now() - dialog.sinceMs < this.#settleMs) return;
        leave();
        this.#do(binding.id, handler);
      };
      return goesElsewhere(binding) ? { id: binding.id, action: { kind: 'command', run } } : undefined;
    }
    return undefined;
  }

  /** Returns what a keystroke does; `undefined` when nothing handles it. */
  #findAction(keystroke: TypedKey): KeyAction | undefined {
    const id = everywhereCommands[keystroke.name];
    const everywhere = id === undefined ? undefined : this.#layers.find(({ get }) => get().handlers[id] !== undefined);
    const layers = everywhere === undefined ? this.#visible() : [everywhere];
    const isTypedAhead = canAnswer(keystroke) && !this.#hasSettled(layers);
    for (const { get, height } of layers) {
      const layer = get();
      const binding = this.#keymap.find(layer.scope, keystroke.name);
      const handler = binding === undefined ? undefined : layer.handlers[binding.id];
      if (binding !== undefined && handler !== undefined) {
        if (
          (isTypedAhead && binding.id !== 'confirmNo') ||
          (keystroke.isOfSeveral && answersQuestion(binding, layer.scope))
        ) {
          if (answersQuestion(binding, layer.scope)) this.#setIgnored(true);
          return undefined;
        }
        if (
          (keystroke.name === 'q' && this.#isRepeatedClose(binding.id)) ||
          (keystroke.name === 'y' &&
            height < modalHeight &&
            performance.now() - this.#dialogClosedMs < lateAnswerShare * this.#settleMs)
        ) {
          return undefined;
        }
        const isDangerous =
          binding.isDangerous === true ||
          (binding.repeats !== true && (layer.scope === 'confirm' || layer.scope === 'confirmName'));
        return {
          kind: isDangerous ? 'dangerous' : binding.repeats === true ? 'repeat' : 'command',
          run: () => {
            this.#do(binding.id, handler, keystroke.name);
          },
        };
      }
      const { onText } = layer;
      const { text } = keystroke;
      if (text !== undefined && onText !== undefined) {
        return isTypedAhead
          ? undefined
          : {
              kind: 'repeat',
              run: () => {
                onText(text);
              },
              ...(layer.scope === 'global' && { isUnknown: true }),
            };
      }
    }
    return this.#findLeaving((scope) => this.#keymap.find(scope, keystroke.name))?.action;
  }

  /**
   * Whether a `q` must not quit because it comes soon after one that closed something: it was pressed to close, or is
   * held down.
   */
  #isRepeatedClose(id: CommandId): boolean {
    const isRepeated = id === 'quit' && performance.now() - this.#closedMs < repeatedCloseShare * this.#settleMs;
    if (id !== 'quit' || isRepeated) this.#closedMs = performance.now();
    return isRepeated;
  }

  /** Whether the first key of a command would run it now. */
  runs(id: CommandId): boolean {
    const key = this.#keymap.bindings.find((binding) => binding.id === id)?.keys[0];
    if (key === undefined) return false;
    const isText = key.length === 1 || key === 'Space';
    for (const { get } of everywhereCommands[key] === undefined ? this.#visible() : this.#layers) {
      const { scope, handlers, onText } = get();
      if (scope === 'notice') continue;
      const found = this.#keymap.find(scope, key);
      if (found !== undefined && handlers[found.id] !== undefined) return found.id === id;
      if (isText && onText !== undefined && scope !== 'global') return false;
    }
    return this.#findLeaving((scope) => this.#keymap.find(scope, key))?.id === id;
  }

  /** `false` while a question or an unexpected prompt may not have been read yet. */
  #hasSettled(layers: readonly LayerEntry[]): boolean {
    return layers.every(
      ({ get, sinceMs }) =>
        (!questionScopes.has(get().scope) && get().isUnexpected !== true) ||
        performance.now() - sinceMs >= this.#settleMs,
    );
  }

  #findPasteAction(text: string): KeyAction | undefined {
    const layers = this.#visible();
    const onPaste = layers.map(({ get }) => get().onPaste).find((run) => run !== undefined);
    if (onPaste === undefined && this.#asks(layers)) this.#setIgnored(true);
    return onPaste === undefined || !this.#hasSettled(layers)
      ? undefined
      : {
          kind: 'repeat',
          run: () => {
            onPaste(text);
          },
        };
  }

  #below(): readonly KeyLayer[] {
    return this.#layers.filter(({ height }) => height < modalHeight).map(({ get }) => get());
  }

  available(): readonly KnownBinding[] {
    const layers = this.#below();
    return this.#keymap.bindings.filter(
      ({ id, scope, repeats }) =>
        repeats !== true && layers.some((layer) => layer.scope === scope && layer.handlers[id] !== undefined),
    );
  }

  readonly named = (): readonly NamedCommand[] => this.#below().flatMap(({ named = [] }) => named);

  readonly subject = (): SafeText | undefined => this.#below().find(({ subject }) => subject !== undefined)?.subject;

  /** Runs a command by its name, if a layer below the dialogs handles it. */
  run(name: string): void {
    const id = this.#keymap.bindings.find((binding) => binding.id === name)?.id;
    if (id === undefined) return;
    const handler = this.#below().find(({ handlers }) => handlers[id] !== undefined)?.handlers[id];
    if (handler !== undefined) this.#do(id, handler);
  }

  /** Runs a command. Any key closes a result below the screen. */
  #do(id: CommandId, handler: KeyHandler, key?: string): void {
    this.#onCommand?.(id);
    if (id !== 'noticeClose')
      this.#layers
        .find(({ get }) => get().scope === 'notice')
        ?.get()
        .handlers.noticeClose?.();
    handler(key);
  }
}
