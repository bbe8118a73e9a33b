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

/** Reads the keyboard for everything below it. There is one, at the root. */
export const KeysProvider = ({ keymap, settleMs, onCommand, children }: KeysProviderProps): ReactNode => {
  const value = useMemo(() => ({ stack: new KeyStack(keymap, { settleMs, onCommand }), keymap }), [keymap, settleMs, onCommand]);
  const [turn, nextTurn] = useReducer((count: number) => count + 1, 0);
  useInput((input, key) => {
    if (value.stack.dispatch(keystrokesOf(input, key))) {
      nextTurn();
    }
  });
  // Always on, so that a paste into a list is not taken for a hundred commands.
  usePaste((text) => {
    if (value.stack.paste(text)) {
      nextTurn();
    }
  });
  // Children's effects run first: a dialog that the last stroke opened is on the stack by now.
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

/** What can be done on the screen now, and doing it by name. */
export const useAvailableCommands = (): Pick<KeyStack, 'available' | 'named' | 'run'> => useKeysContext().stack;

/** Has `catchUp` called before anything is drawn that a key waits for; it must be the same function at every rendering. */
export const useCatchUp = (catchUp: () => void): void => {
  const { stack } = useKeysContext();
  useLayoutEffect(() => stack.beforeDrawing(catchUp), [stack, catchUp]);
};

/** The scope that hears keys first now. */
export const useTopScope = (): Scope | undefined => {
  const { stack } = useKeysContext();
  return useSyncExternalStore(stack.subscribe, stack.topScope, stack.topScope);
};

/** The keys that exist, for hints and help. */
export const useKeymap = (): Keymap => useKeysContext().keymap;

export interface UseKeysOptions {
  /** `false` takes the layer off the stack. */
  readonly isActive?: boolean | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  readonly onPaste?: ((text: string) => void) | undefined;
  /** What the palette offers besides, while this is heard. */
  readonly named?: readonly NamedCommand[] | undefined;
}

/** Hears the keys of a scope while mounted and active. Handlers may change from render to render. */
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
