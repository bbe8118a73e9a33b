import { useInput, usePaste } from 'ink';
import {
  createContext,
  createElement,
  type ReactNode,
  use,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { keystrokesOf } from '../../terminal/keys.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import { type KeyHandler, type KeyLayer, KeyStack, type KeyStackOptions, type NamedCommand } from './key-stack.ts';
import type { Keymap } from './keymap.ts';
import type { CommandId, CommandOf, Scope } from './bindings.ts';

/** Handles the mouse, in turn with the keys. */
export interface Pointer {
  /** Runs a command that was clicked; in dialogs only one that moves, cancels or closes. */
  readonly click: (id: CommandId) => void;
  /** Runs the command of a dialog's button that was clicked. */
  readonly clickButton: (id: CommandId) => void;
  /** Handles a click in something that belongs to a layer, unless that is hidden by a dialog. */
  readonly clickIn: (scope: Scope, run: () => void) => void;
  readonly roll: (direction: 'Up' | 'Down', rows: number) => void;
}

interface KeysContextValue {
  readonly stack: KeyStack;
  readonly keymap: Keymap;
  readonly pointer: Pointer;
}

const KeysContext = createContext<KeysContextValue | undefined>(undefined);

export interface KeysProviderProps extends KeyStackOptions {
  readonly keymap: Keymap;
  readonly children?: ReactNode;
}

/** Provides the keys. Used once, at the root. */
export const KeysProvider = ({ keymap, settleMs, onCommand, children }: KeysProviderProps): ReactNode => {
  const [turn, nextTurn] = useReducer((count: number) => count + 1, 0);
  // One stack, whatever changes here: what is typed ahead must not get lost.
  const [stack] = useState(() => new KeyStack(keymap, { settleMs, onCommand }));
  useLayoutEffect(() => {
    stack.setKeymap(keymap);
    stack.setOnCommand(onCommand);
  }, [stack, keymap, onCommand]);
  const value = useMemo((): KeysContextValue => {
    const goOn = (isDue: boolean): void => {
      if (isDue) nextTurn();
    };
    return {
      stack,
      keymap,
      pointer: {
        click: (id) => {
          goOn(stack.click(id));
        },
        clickButton: (id) => {
          goOn(stack.clickButton(id));
        },
        clickIn: (scope, run) => {
          goOn(stack.clickIn(scope, run));
        },
        roll: (direction, rows) => {
          goOn(stack.roll(direction, rows));
        },
      },
    };
  }, [keymap, stack]);
  useInput((input, key) => {
    if (value.stack.dispatch(keystrokesOf(input, key))) {
      nextTurn();
    }
  });
  // Always on: a paste into a list must not run as a hundred commands.
  usePaste((text) => {
    if (value.stack.paste(text)) {
      nextTurn();
    }
  });
  // Children's effects run first, so a dialog opened by the last keystroke is on the stack. Once for each drawing that
  // keys wait for, and for no other: a move may not be drawn yet.
  useEffect(() => {
    if (turn > 0 && stack.resume()) {
      nextTurn();
    }
  }, [turn, stack]);
  return createElement(KeysContext, { value }, children);
};

const useKeysContext = (): KeysContextValue => {
  const value = use(KeysContext);
  if (value === undefined) {
    throw new Error('keys are used outside KeysProvider');
  }
  return value;
};

export const useAvailableCommands = (): Pick<KeyStack, 'available' | 'named' | 'run' | 'subject'> =>
  useKeysContext().stack;

/** Calls `catchUp` before each drawing. It must be the same function at every rendering. */
export const useCatchUp = (catchUp: () => void): void => {
  const { stack } = useKeysContext();
  useLayoutEffect(() => stack.beforeDrawing(catchUp), [stack, catchUp]);
};

/** Calls `listener` with each input. It must be the same function at every rendering. */
export const useOnInput = (listener: () => void): void => {
  const { stack } = useKeysContext();
  useLayoutEffect(() => stack.onInput(listener), [stack, listener]);
};

/** Whether the first key of a command would run it now; renders again when that changes. */
export const useRuns = (): ((id: CommandId) => boolean) => {
  const { stack } = useKeysContext();
  useSyncExternalStore(stack.subscribe, stack.version, stack.version);
  return (id) => stack.runs(id);
};

export const useTopScope = (): Scope | undefined => {
  const { stack } = useKeysContext();
  return useSyncExternalStore(stack.subscribe, stack.topScope, stack.topScope);
};

export const useSettleAgain = (): (() => void) => useKeysContext().stack.settleAgain;

/** Whether an answer was ignored, and no key accepted since. */
export const useHasIgnored = (): boolean => {
  const { stack } = useKeysContext();
  return useSyncExternalStore(stack.subscribe, stack.hasIgnored, stack.hasIgnored);
};

export const usePointer = (): Pointer => useKeysContext().pointer;

export const useKeymap = (): Keymap => useKeysContext().keymap;

export interface UseKeysOptions {
  /** `false` removes the layer from the stack. */
  readonly isActive?: boolean | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  readonly onPaste?: ((text: string) => void) | undefined;
  readonly isUnexpected?: boolean | undefined;
  readonly named?: readonly NamedCommand[] | undefined;
  /** The subject that the commands act on, for the title of their menu. */
  readonly subject?: SafeText | undefined;
}

const handledBy = (handlers: KeyLayer['handlers']): string =>
  Object.entries(handlers)
    .flatMap(([id, run]) => (run === undefined ? [] : [id]))
    .join(' ');

export const useKeys = <S extends Scope>(
  scope: S,
  handlers: { readonly [Id in CommandOf<S>]?: KeyHandler | undefined },
  options: UseKeysOptions = {},
): void => {
  const { stack } = useKeysContext();
  const { isActive = true, ...layer } = options;
  const latest = useRef<KeyLayer>({ scope, handlers, ...layer });
  useLayoutEffect(() => {
    const before = latest.current.handlers;
    latest.current = { scope, handlers, ...layer };
    if (isActive && handledBy(before) !== handledBy(handlers)) stack.noteHandlers();
  });
  useLayoutEffect(() => (isActive ? stack.push(scope, () => latest.current) : undefined), [stack, scope, isActive]);
};
