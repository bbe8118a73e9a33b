import type { Keystroke } from '../../terminal/keys.ts';
import type { CommandId, Scope } from './bindings.ts';

interface Paste {
  readonly pasted: string;
}

/** A click, or a turn of the wheel. */
export type MouseInput =
  | { readonly clicked: CommandId; readonly isButton?: boolean }
  /** A click in something that belongs to a layer. */
  | { readonly scope: Scope; readonly run: () => void }
  | { readonly rolled: 'Up' | 'Down' };

export interface TypedKey extends Keystroke {
  /** The key came together with others, as text does that is pasted into a terminal without bracketed paste. */
  readonly isOfSeveral: boolean;
  /** The number of the input that the key came in. */
  readonly burst: number;
}

export type Input = TypedKey | Paste | MouseInput;
