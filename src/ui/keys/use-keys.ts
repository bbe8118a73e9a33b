import { useInput, usePaste } from 'ink';
import { createContext, createElement, type ReactNode, use, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useSyncExternalStore } from 'react';
import { keystrokesOf } from '../../terminal/keys.ts';
import { type KeyLayer, KeyStack, type KeyStackOptions, type NamedCommand } from './key-stack.ts';
import type { CommandOf, Keymap, Scope } from './keymap.ts';

interface KeysContextValue {
  readonly stack: KeyStack;
  readonly keymap: Keymap;
}

const KeysContext = createContext<KeysContextValue | undefined>(undefined);

export interface KeysProviderProps extends KeyStackOptions {
  readonly keymap: Keymap;
  readonly children?: ReactNode;
}

/** Reads the keyboard for everything below it. Used once, at the root. */
export const KeysProvider = ({ keymap, settleMs, onCommand, children }: KeysProviderProps): ReactNode => {
  const value = useMemo(() => ({ stack: new KeyStack(keymap, { settleMs, onCommand }), keymap }), [keymap, settleMs, onCommand]);
  const [turn, nextTurn] = useReducer((count: number) => count + 1, 0);
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
  // Children's effects run first, so a dialog opened by the last keystroke is on the stack.
  useEffect(() => {
    if (turn > 0 && value.stack.resume()) {
      nextTurn();
    }
  }, [turn, value]);
  return createElement(KeysContext, { value }, children);
};

const useKeysContext = (): KeysContextValue => {
  const value = use(KeysContext);
  if (value === undefined) {
    throw new Error('keys are used outside KeysProvider');
  }
  return value;
};

/** The commands available on the screen. */
export const useAvailableCommands = (): Pick<KeyStack, 'available' | 'named' | 'run'> => useKeysContext().stack;

/** Calls `catchUp` before a drawing that a keystroke waits for. It must be the same function at every rendering. */
export const useCatchUp = (catchUp: () => void): void => {
  const { stack } = useKeysContext();
  useLayoutEffect(() => stack.beforeDrawing(catchUp), [stack, catchUp]);
};

/** The scope that hears keys first. */
export const useTopScope = (): Scope | undefined => {
  const { stack } = useKeysContext();
  return useSyncExternalStore(stack.subscribe, stack.topScope, stack.topScope);
};

export const useKeymap = (): Keymap => useKeysContext().keymap;

export interface UseKeysOptions {
  /** `false` removes the layer from the stack. */
  readonly isActive?: boolean | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  readonly onPaste?: ((text: string) => void) | undefined;
  /** Commands of the palette without a key. */
  readonly named?: readonly NamedCommand[] | undefined;
}

/** Handles the keys of a scope while mounted and active. Handlers may change with every rendering. */
export const useKeys = <S extends Scope>(
  scope: S,
  handlers: { readonly [Id in CommandOf<S>]?: (() => void) | undefined },
  options: UseKeysOptions = {},
): void => {
  const { stack } = useKeysContext();
  const { isActive = true, onText, onPaste, named } = options;
  const latest = useRef<KeyLayer>({ scope, handlers, onText, onPaste, named });
  useLayoutEffect(() => {
    latest.current = { scope, handlers, onText, onPaste, named };
  });
  useLayoutEffect(() => (isActive ? stack.push(scope, () => latest.current) : undefined), [stack, scope, isActive]);
};
