/** What terminals send, as `latin1` text: how it begins, ends, and is told from keys. */

export const escape = '\u001B';
/** A string is kept up to here; more than that nobody has typed. */
export const mostKept = 4_096;
/** The same of a sequence. */
export const longestSequence = 64;

/** Behind Esc, they begin a string. */
export const stringIntroducers = ']PX^_';
/** How the answers of terminals begin; `ESC P` and a letter is rather somebody in a hurry. */
const answerBegins: Readonly<Record<string, RegExp | undefined>> = { ']': /^[0-9lLI]/u, 'P': /^[0-9>!=$+|]/u, '_': /^G/u };

/** What came late behind an Esc, in one piece: keys are not pressed that close to each other. */
export const lateRest = /^(?:\[[?<=>0-9A-DFHIOMZ]|\][0-9lLI]|P[0-9>!=$+|]|_G)/u;
/** What may belong behind an Esc that has acted, by itself. */
export const lateIntroducer = /^[[\]P_]$/u;
/** Nothing but ASCII, and no Esc. */
export const plain = /^[\0-\u001A\u001C-\u007F]*$/u;
/** The introducers as single bytes, of terminals that answer in 8 bits. */
export const eightBitIntroducers = '\u0090\u0098\u009B\u009D\u009E\u009F';
/** Ends such a string. */
export const eightBitEnd = '\u009C';

/** How many bytes of a character follow its first byte in UTF-8. */
export function bytesBehind(first: string): number {
  if (first < '\u00C2' || first > '\u00F4') return 0;
  return first < '\u00E0' ? 1 : first < '\u00F0' ? 2 : 3;
}

export const isControl = (character: string): boolean => character < ' ' || character === '\u007F';
const isFinal = (character: string): boolean => character >= '@' && character <= '~';

/** Whether a string begins as the answers of terminals do, or is too long to be typed. */
export function isAnswer(introducer: string, payload: string): boolean {
  return payload.length >= mostKept || answerBegins[introducer]?.test(payload) === true;
}

/** Whether the character ends the sequence that begins with Esc and `[` or `O`. */
export function isEndOfSequence(text: string, character: string): boolean {
  const body = text.slice(text.lastIndexOf(escape) + 1);
  // Function keys of the Linux console: ESC [ [ A.
  if (body === '[' && character === '[') return false;
  // Shifted editing keys of rxvt end with $.
  return isFinal(character) || (character === '$' && /^\[[235678]$/u.test(body));
}

/** Whether a whole CSI sequence is one that no key sends. */
export function isReply(sequence: string): boolean {
  // Private: device attributes, modes, mouse, keyboard state, colour scheme.
  if (/^\u001B\[[<=>?]/u.test(sequence)) return true;
  // Focus; what is between 20 and 2F makes a report of what looks like a key.
  if (/^\u001B\[([IO]$|[0-9;]*[ -#%-/])/u.test(sequence) || /^\u001B\[[0-9;]+\$[@-~]$/u.test(sequence)) return true;
  // Cursor, state, window, attributes, mouse of urxvt.
  return /^\u001B\[[0-9;:]+[RntcxMm]$/u.test(sequence) || sequence.length >= longestSequence;
}

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
