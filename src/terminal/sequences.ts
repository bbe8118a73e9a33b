/** The sequences that terminals send, as `latin1` text, and how they differ from keys. */

export const escape = '\u001B';
/** Longer than any typed string; the rest of one is not kept. */
export const maxStringLength = 4_096;
export const maxSequenceLength = 64;

/** After Esc these begin a string. */
export const stringIntroducers = ']PX^_';
/** How strings in replies begin; `ESC P` and a letter is more likely typed. */
const replyStarts: Readonly<Record<string, RegExp | undefined>> = { ']': /^[0-9lLI]/u, 'P': /^[0-9>!=$+|]/u, '_': /^G/u };

/** The rest of a sequence that arrives after its Esc, in one chunk. Keys are not pressed that fast. */
export const lateRest = /^(?:\[[?<=>0-9A-DFHIOMZ]|\][0-9lLI]|P[0-9>!=$+|]|_G)/u;
/** A single character that may continue an Esc already passed on. */
export const lateIntroducer = /^[[\]P_]$/u;
export const plainInput = /^[\0-\u001A\u001C-\u007F]*$/u;
/** Introducers as single bytes, of terminals that reply with 8-bit controls. */
export const eightBitIntroducers = '\u0090\u0098\u009B\u009D\u009E\u009F';
export const eightBitEnd = '\u009C';

export function continuationBytes(first: string): number {
  if (first < '\u00C2' || first > '\u00F4') return 0;
  return first < '\u00E0' ? 1 : first < '\u00F0' ? 2 : 3;
}

export const isControl = (character: string): boolean => character < ' ' || character === '\u007F';
const isFinal = (character: string): boolean => character >= '@' && character <= '~';

/** Whether a string begins like a reply, or is too long to be typed. */
export function isReplyString(introducer: string, payload: string): boolean {
  return payload.length >= maxStringLength || replyStarts[introducer]?.test(payload) === true;
}

/** Whether the character ends the sequence, which begins with Esc and `[` or `O`. */
export function isEndOfSequence(text: string, character: string): boolean {
  const body = text.slice(text.lastIndexOf(escape) + 1);
  // Function keys of the Linux console: ESC [ [ A.
  if (body === '[' && character === '[') return false;
  // Shifted editing keys of rxvt end with $.
  return isFinal(character) || (character === '$' && /^\[[235678]$/u.test(body));
}

/** Whether a complete CSI sequence is one that no key sends. */
export function isReply(sequence: string): boolean {
  // Private: device attributes, modes, mouse, keyboard state, colour scheme.
  if (/^\u001B\[[<=>?]/u.test(sequence)) return true;
  // Focus; an intermediate byte (20 to 2F) marks a report that looks like a key otherwise.
  if (/^\u001B\[([IO]$|[0-9;]*[ -#%-/])/u.test(sequence) || /^\u001B\[[0-9;]+\$[@-~]$/u.test(sequence)) return true;
  // Cursor, state, window, attributes, mouse of urxvt.
  return /^\u001B\[[0-9;:]+[RntcxMm]$/u.test(sequence) || sequence.length >= maxSequenceLength;
}

export const pasteStart = `${escape}[200~`;
export const pasteEnd = `${escape}[201~`;
/** The rest of a longer paste is dropped; no field takes as much. */
const maxPasteLength = 4 * 1024 * 1024;

export class Paste {
  readonly #chunks: string[] = [];
  #length = 0;
  /** The last characters, which may be the start of the end mark. */
  #tail = '';

  /** Returns the pasted text and what follows it once the end mark has arrived. */
  add(chunk: string): { readonly text: string; readonly rest: string } | undefined {
    const text = this.#tail + chunk;
    const at = text.indexOf(pasteEnd);
    if (at === -1) {
      this.#append(chunk);
      this.#tail = text.slice(1 - pasteEnd.length);
      return undefined;
    }
    const pasted = this.text();
    const keptOfMark = this.#tail.length - at;
    return {
      text: keptOfMark > 0 ? pasted.slice(0, pasted.length - keptOfMark) : pasted + chunk.slice(0, at - this.#tail.length),
      rest: text.slice(at + pasteEnd.length),
    };
  }

  text(): string {
    return this.#chunks.join('');
  }

  #append(chunk: string): void {
    if (this.#length > maxPasteLength) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }
}
