import { withThousands } from './text.ts';

/** A piece of a sentence. Text of the broker is hostile until it has passed safe-text. */
export interface TextPart {
  readonly text: string;
  readonly isFromBroker: boolean;
}

export const own = (text: string): TextPart => ({ text, isFromBroker: false });
export const theirs = (text: string): TextPart => ({ text, isFromBroker: true });

/** `1 client`, `2 clients`. */
export const counted = (count: number, noun: string): string => `${withThousands(count)} ${noun}${count === 1 ? '' : 's'}`;
