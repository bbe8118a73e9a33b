import { escape } from './sequences.ts';

export const pasteStart = `${escape}[200~`;
export const pasteEnd = `${escape}[201~`;
/** What is beyond is left out of a paste; no field takes as much. */
const longestPaste = 4 * 1024 * 1024;

/** A paste as it comes in. */
export class Paste {
  readonly #pieces: string[] = [];
  #length = 0;
  /** The last characters, in which the mark of its end may have begun. */
  #tail = '';

  /** Answers what was pasted and what follows it, once the end is there. */
  add(piece: string): { readonly text: string; readonly rest: string } | undefined {
    const text = this.#tail + piece;
    const at = text.indexOf(pasteEnd);
    if (at === -1) {
      this.#keep(piece);
      this.#tail = text.slice(1 - pasteEnd.length);
      return undefined;
    }
    const pasted = this.text();
    const begun = this.#tail.length - at;
    return {
      text: begun > 0 ? pasted.slice(0, pasted.length - begun) : pasted + piece.slice(0, at - this.#tail.length),
      rest: text.slice(at + pasteEnd.length),
    };
  }

  text(): string {
    return this.#pieces.join('');
  }

  #keep(piece: string): void {
    if (this.#length > longestPaste) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }
}
