import { continuationBytes, eightBitEnd, eightBitIntroducers, escape, isControl, isEndOfSequence, isReply, isReplyString, lateIntroducer, lateRest, maxSequenceLength, maxStringLength, Paste, pasteEnd, pasteStart, plainInput, stringIntroducers } from './sequences.ts';

const interrupt = '\u0003';
const enter = '\r';

/** The Esc key as an unambiguous sequence (kitty's), after which the reader need not wait for more. */
export const escapeKey = '\u001B[27u';

/** Esc alone is a key after this time: the rest of a sequence might still arrive. */
const escapeMs = 20;
/** How long to wait for the rest of a string that does not look like a reply. */
const typedMs = 100;
/** How long to wait for the next chunk of a sequence or a reply: a lost packet takes 200 ms and more. */
const replyMs = 500;
const maxReplyMs = 2_000;
/** How long an Esc in a paste may be the first byte of the end mark, on a bad line. */
const pasteEndMs = 300;
/** For this long after Esc was passed on as a key, a single `[` is taken for the rest of its sequence. */
const lateMs = 100;

/**
 * What the first byte is if the sequence turns out to be typed: the Esc key; Alt, when one read contained it and the
 * next byte; nothing, when Esc was passed on already. `undefined`: a byte that no key sends.
 */
type FirstByte = typeof escapeKey | typeof escape | '' | undefined;

type Reading =
  | { readonly kind: 'keys' }
  | { readonly kind: 'sequence'; readonly text: string; readonly firstByte: FirstByte }
  /** `isEnding` after an Esc, which may be the first half of the end. */
  | { readonly kind: 'string'; readonly introducer: string; readonly payload: string; readonly firstByte: FirstByte; readonly isEnding: boolean; readonly sinceMs: number }
  /** The coordinates of an X10 mouse report, as raw bytes. */
  | { readonly kind: 'mouse'; readonly bytesLeft: number }
  | { readonly kind: 'paste'; readonly paste: Paste };

const readingKeys: Reading = { kind: 'keys' };

/**
 * Separates keys from what the terminal sends by itself: replies to queries of some program (colours, cursor,
 * attributes, clipboard), focus and mouse reports left switched on. These may arrive late, in chunks and in the middle
 * of typing, and would act if they were taken for keys.
 *
 * Input and output are bytes as `latin1` text, so chunks need not end with whole characters. Strings are those of
 * ECMA-48: OSC, DCS, SOS, PM and APC.
 */
export class ReplyFilter {
  #reading: Reading = readingKeys;
  #keys = '';
  #nowMs = 0;
  #readMs = 0;
  /** A paste ends with Esc so far: the first byte of the end mark, or the user wants out. */
  #isLeavingPaste = false;
  /** When Esc was passed on as a key, if nothing was read since. */
  #escapeAtMs: number | undefined;
  /** Continuation bytes still to come, which are no introducers. */
  #bytesLeft = 0;

  /** Takes a chunk and returns the keys in it and in earlier input held back. A paste is returned whole, with its marks. */
  push(chunk: string, nowMs: number): string {
    this.#nowMs = nowMs;
    this.#readMs = nowMs;
    const sinceEscapeMs = nowMs - (this.#escapeAtMs ?? Number.NEGATIVE_INFINITY);
    this.#escapeAtMs = undefined;
    if (sinceEscapeMs < replyMs && this.#reading.kind === 'keys' && (lateRest.test(chunk) || (sinceEscapeMs < lateMs && lateIntroducer.test(chunk)))) {
      this.#reading = { kind: 'sequence', text: escape, firstByte: '' };
    } else if (this.#reading.kind === 'keys' && plainInput.test(chunk)) {
      this.#bytesLeft = 0;
      return chunk;
    }
    this.#isLeavingPaste = false;
    let rest = chunk;
    let isFirst = true;
    while (rest !== '') {
      if (this.#reading.kind === 'paste') {
        rest = this.#takePaste(this.#reading.paste, rest);
      } else {
        this.#take(rest.charAt(0), isFirst);
        rest = rest.slice(1);
      }
      isFirst = false;
    }
    return this.#takeKeys();
  }

  /** When to call `expire` if nothing is read before; `undefined` when nothing is held back. */
  get dueMs(): number | undefined {
    const reading = this.#reading;
    switch (reading.kind) {
      case 'keys':
        return undefined;
      case 'paste':
        return this.#isLeavingPaste ? this.#readMs + pasteEndMs : undefined;
      case 'sequence':
        return this.#readMs + (/^\u001B+$/u.test(reading.text) ? escapeMs : replyMs);
      case 'string':
        return Math.min(reading.sinceMs + maxReplyMs, this.#readMs + (isTyped(reading) ? typedMs : replyMs));
      case 'mouse':
        return this.#readMs + replyMs;
    }
  }

  /** Stops waiting if `dueMs` has passed; returns the input held back that turns out to be keys. */
  expire(nowMs: number): string {
    this.#nowMs = nowMs;
    const { dueMs } = this;
    if (dueMs === undefined || nowMs < dueMs) return '';
    this.#giveUp();
    return this.#takeKeys();
  }

  reset(): void {
    this.#reading = readingKeys;
    this.#keys = '';
    this.#isLeavingPaste = false;
    this.#escapeAtMs = undefined;
    this.#bytesLeft = 0;
  }

  #takeKeys(): string {
    const taken = this.#keys;
    this.#keys = '';
    return taken;
  }

  #take(character: string, isFirst: boolean): void {
    const reading = this.#reading;
    switch (reading.kind) {
      case 'keys':
      case 'paste':
        if (character === escape) {
          this.#bytesLeft = 0;
          this.#reading = { kind: 'sequence', text: escape, firstByte: escape };
        } else if (this.#bytesLeft === 0 && eightBitIntroducers.includes(character)) {
          this.#reading = { kind: 'sequence', text: escape, firstByte: undefined };
          this.#take(String.fromCharCode(character.charCodeAt(0) - 0x40), false);
        } else {
          this.#bytesLeft = character >= '\u0080' && character < '\u00C0' ? Math.max(0, this.#bytesLeft - 1) : continuationBytes(character);
          this.#keys += character;
        }
        return;
      case 'sequence':
        this.#continueSequence(reading, character, isFirst);
        return;
      case 'string':
        this.#continueString(reading, character, isFirst);
        return;
      case 'mouse':
        if (isControl(character)) this.#restart(character);
        else this.#reading = reading.bytesLeft === 1 ? readingKeys : { kind: 'mouse', bytesLeft: reading.bytesLeft - 1 };
    }
  }

  #restart(character: string): void {
    this.#reading = readingKeys;
    this.#take(character, false);
  }

  #continueSequence({ text, firstByte: before }: Reading & { readonly kind: 'sequence' }, character: string, isFirst: boolean): void {
    const firstByte = before === escape && isFirst && text === escape ? escapeKey : before;
    const longer = text.length < maxSequenceLength ? text + character : text;
    if (text === escape) this.#continueEscape(character, firstByte);
    else if (text === escape + escape) {
      if (character === '[' || character === 'O') {
        this.#reading = { kind: 'sequence', text: longer, firstByte };
        return;
      }
      this.#keys += escapeKey;
      this.#reading = { kind: 'sequence', text: escape, firstByte: escape };
      this.#take(character, isFirst);
    } else if (isControl(character) || character > '~') {
      // Aborted: Ctrl-C, Enter and a new sequence have to work at any time.
      this.#restart(character);
    } else if (isEndOfSequence(text, character)) {
      this.#endSequence(longer);
    } else {
      this.#reading = { kind: 'sequence', text: longer, firstByte };
    }
  }

  #continueEscape(character: string, firstByte: FirstByte): void {
    if ('[O\u001B'.includes(character)) {
      this.#reading = { kind: 'sequence', text: escape + character, firstByte };
    } else if (stringIntroducers.includes(character)) {
      this.#reading = { kind: 'string', introducer: character, payload: '', firstByte, isEnding: false, sinceMs: this.#nowMs };
    } else if (firstByte === escapeKey && character !== enter) {
      this.#keys += escapeKey;
      this.#restart(character);
    } else {
      this.#keys += escape + character;
      this.#reading = readingKeys;
    }
  }

  #endSequence(text: string): void {
    this.#reading = readingKeys;
    const isDoubled = text.startsWith(escape + escape);
    const sequence = isDoubled ? text.slice(1) : text;
    if (sequence === pasteStart) this.#reading = { kind: 'paste', paste: new Paste() };
    else if (sequence === `${escape}[M`) this.#reading = { kind: 'mouse', bytesLeft: 3 };
    else if (sequence !== pasteEnd && !isReply(sequence)) {
      this.#keys += text;
      return;
    }
    // Esc was typed, and followed by a reply.
    if (isDoubled) this.#keys += escapeKey;
  }

  #continueString(reading: Reading & { readonly kind: 'string' }, character: string, isFirst: boolean): void {
    if (reading.isEnding && character === '\\') {
      this.#reading = readingKeys;
    } else if (reading.isEnding) {
      this.#giveUpString(reading);
      this.#reading = { kind: 'sequence', text: escape, firstByte: escape };
      this.#take(character, isFirst);
    } else if (character === '\u0007' || (character === eightBitEnd && reading.firstByte === undefined)) {
      this.#reading = readingKeys;
    } else if (character === escape) {
      this.#reading = { ...reading, isEnding: true };
    } else if (isControl(character)) {
      this.#giveUpString(reading);
      this.#take(character, false);
    } else {
      const payload = reading.payload.length < maxStringLength ? reading.payload + character : reading.payload;
      this.#reading = { ...reading, payload };
    }
  }

  /** A string that is no reply was typed: Esc or Alt, and some keys. */
  #giveUpString({ introducer, payload, firstByte }: Reading & { readonly kind: 'string' }): void {
    this.#reading = readingKeys;
    if (firstByte === undefined || isReplyString(introducer, payload)) return;
    this.#keys += firstByte + introducer + payload;
  }

  #giveUp(): void {
    const reading = this.#reading;
    this.#reading = readingKeys;
    if (reading.kind === 'string') {
      this.#giveUpString(reading);
      if (reading.isEnding) this.#keys += escapeKey;
    } else if (reading.kind === 'sequence') {
      const { text, firstByte } = reading;
      if (/^\u001B+$/u.test(text)) {
        this.#keys += escapeKey.repeat(text.length);
        this.#escapeAtMs = this.#readMs;
      } else if (firstByte !== undefined && firstByte !== escape && text.length === 2) this.#keys += firstByte + text.charAt(1);
    } else if (reading.kind === 'paste') {
      this.#endPaste(reading.paste.text().slice(0, -1));
    }
  }

  #takePaste(paste: Paste, chunk: string): string {
    const end = paste.add(chunk);
    if (end === undefined) {
      // Without its end mark a paste would block the keyboard for ever: Ctrl-C, or Esc with nothing after it, ends it.
      this.#isLeavingPaste = chunk.endsWith(escape);
      if (!chunk.endsWith(interrupt)) return '';
      this.#endPaste(paste.text().slice(0, -1));
      return interrupt;
    }
    this.#endPaste(end.text);
    return end.rest;
  }

  #endPaste(text: string): void {
    this.#reading = readingKeys;
    this.#keys += pasteStart + text + pasteEnd;
  }
}

function isTyped({ introducer, payload, firstByte }: Reading & { readonly kind: 'string' }): boolean {
  return firstByte !== undefined && payload !== '' && !isReplyString(introducer, payload);
}
