import { bytesBehind, eightBitEnd, eightBitIntroducers, escape, isAnswer, isControl, isEndOfSequence, isReply, lateIntroducer, lateRest, longestSequence, mostKept, Paste, pasteEnd, pasteStart, plain, stringIntroducers } from './sequences.ts';

/**
 * Tells what was typed from what the terminal says by itself: answers to questions that some program
 * asked it (colours, cursor, attributes, clipboard), focus and mouse reports that one left switched on.
 * These may come late, in pieces, and in the middle of typing; taken for keys they would act.
 *
 * Bytes go in and come out as `latin1` text, one character a byte, so that no piece has to end with a
 * whole character. Strings are those of ECMA-48: OSC, DCS, SOS, PM and APC.
 */

const interrupt = '\u0003';
const enter = '\r';

/** The Esc key as a sequence of its own (that of kitty), which whoever reads on need not wait on. */
export const escapeKey = '\u001B[27u';

/** Esc alone acts after so long: what begins with it might still come. */
const escapeMs = 20;
/** What begins as a string, but as none that a terminal answers with, is rather typed. */
const typedMs = 100;
/** A sequence, and a string that is or may be an answer, is waited for between its pieces: a lost packet takes 200 ms and more. */
const answerMs = 500;
/** A string in all. */
const longestAnswerMs = 2_000;
/** Esc in a paste may be the first byte of its end, on a line that falters. */
const pasteEndMs = 300;
/** So long after Esc acted for being alone, a `[` by itself is rather what belongs behind it than the next key. */
const lateMs = 100;

/**
 * What its first byte is when the rest shows that it was typed: Esc; or Alt, where one read had it with what follows;
 * or nothing more, because Esc has acted. `undefined`: a byte that no key sends.
 */
type Typed = typeof escapeKey | typeof escape | '' | undefined;

/** What is in the middle of being read. */
type Reading =
  | { readonly kind: 'keys' }
  /** Begins with Esc. */
  | { readonly kind: 'sequence'; readonly text: string; readonly typed: Typed }
  /** After the introducer; `isEnding` when Esc may be the first half of its end. */
  | { readonly kind: 'string'; readonly introducer: string; readonly payload: string; readonly typed: Typed; readonly isEnding: boolean; readonly sinceMs: number }
  /** Coordinates of the old mouse report, as raw bytes. */
  | { readonly kind: 'mouse'; readonly bytesLeft: number }
  | { readonly kind: 'paste'; readonly paste: Paste };

const keys: Reading = { kind: 'keys' };

export class TerminalReplies {
  #reading: Reading = keys;
  #keys = '';
  #nowMs = 0;
  /** Time of the last piece. */
  #readMs = 0;
  /** The last that came of a paste is Esc: the first byte of its end, or somebody who wants out of it. */
  #isLeavingPaste = false;
  /** When Esc acted for being alone, and nothing was read since. */
  #aloneMs: number | undefined;
  /** Bytes that the character begun still has: among them, none is an introducer. */
  #bytesLeft = 0;

  /**
   * Takes a piece as it was read; answers the keys in it, and of pieces before that were not clear yet.
   * A paste comes out whole, between its marks.
   */
  push(piece: string, nowMs: number): string {
    this.#nowMs = nowMs;
    this.#readMs = nowMs;
    const sinceAloneMs = nowMs - (this.#aloneMs ?? Number.NEGATIVE_INFINITY);
    this.#aloneMs = undefined;
    if (sinceAloneMs < answerMs && this.#reading.kind === 'keys' && (lateRest.test(piece) || (sinceAloneMs < lateMs && lateIntroducer.test(piece)))) {
      this.#reading = { kind: 'sequence', text: escape, typed: '' };
    } else if (this.#reading.kind === 'keys' && plain.test(piece)) {
      this.#bytesLeft = 0;
      return piece;
    }
    this.#isLeavingPaste = false;
    let rest = piece;
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
    return this.#answer();
  }

  /** When `expire` has something to do, unless more is read before; `undefined` when nothing is held back. */
  get dueMs(): number | undefined {
    const reading = this.#reading;
    switch (reading.kind) {
      case 'keys':
        return undefined;
      case 'paste':
        return this.#isLeavingPaste ? this.#readMs + pasteEndMs : undefined;
      case 'sequence':
        return this.#readMs + (/^\u001B+$/u.test(reading.text) ? escapeMs : answerMs);
      case 'string':
        return Math.min(reading.sinceMs + longestAnswerMs, this.#readMs + (isTyped(reading) ? typedMs : answerMs));
      case 'mouse':
        return this.#readMs + answerMs;
    }
  }

  /** Gives up waiting if it is time; answers the keys that it was then. */
  expire(nowMs: number): string {
    this.#nowMs = nowMs;
    const { dueMs } = this;
    if (dueMs === undefined || nowMs < dueMs) return '';
    this.#giveUp();
    return this.#answer();
  }

  /** Forgets what is held back. */
  reset(): void {
    this.#reading = keys;
    this.#keys = '';
    this.#isLeavingPaste = false;
    this.#aloneMs = undefined;
    this.#bytesLeft = 0;
  }

  #answer(): string {
    const answer = this.#keys;
    this.#keys = '';
    return answer;
  }

  #take(character: string, isFirst: boolean): void {
    const reading = this.#reading;
    switch (reading.kind) {
      case 'keys':
      case 'paste':
        if (character === escape) {
          this.#bytesLeft = 0;
          this.#reading = { kind: 'sequence', text: escape, typed: escape };
        } else if (this.#bytesLeft === 0 && eightBitIntroducers.includes(character)) {
          this.#reading = { kind: 'sequence', text: escape, typed: undefined };
          this.#take(String.fromCharCode(character.charCodeAt(0) - 0x40), false);
        } else {
          this.#bytesLeft = character >= '\u0080' && character < '\u00C0' ? Math.max(0, this.#bytesLeft - 1) : bytesBehind(character);
          this.#keys += character;
        }
        return;
      case 'sequence':
        this.#takeOfSequence(reading, character, isFirst);
        return;
      case 'string':
        this.#takeOfString(reading, character, isFirst);
        return;
      case 'mouse':
        if (isControl(character)) this.#takeAnew(character);
        else this.#reading = reading.bytesLeft === 1 ? keys : { kind: 'mouse', bytesLeft: reading.bytesLeft - 1 };
    }
  }

  #takeAnew(character: string): void {
    this.#reading = keys;
    this.#take(character, false);
  }

  #takeOfSequence({ text, typed: before }: Reading & { readonly kind: 'sequence' }, character: string, isFirst: boolean): void {
    const typed = before === escape && isFirst && text === escape ? escapeKey : before;
    const longer = text.length < longestSequence ? text + character : text;
    if (text === escape) this.#takeAfterEscape(character, typed);
    else if (text === escape + escape) {
      if (character === '[' || character === 'O') {
        this.#reading = { kind: 'sequence', text: longer, typed };
        return;
      }
      this.#keys += escapeKey;
      this.#reading = { kind: 'sequence', text: escape, typed: escape };
      this.#take(character, isFirst);
    } else if (isControl(character) || character > '~') {
      // Broken off: Ctrl-C, Enter and a new sequence have to work at any time.
      this.#takeAnew(character);
    } else if (isEndOfSequence(text, character)) {
      this.#endSequence(longer);
    } else {
      this.#reading = { kind: 'sequence', text: longer, typed };
    }
  }

  #takeAfterEscape(character: string, typed: Typed): void {
    if ('[O\u001B'.includes(character)) {
      this.#reading = { kind: 'sequence', text: escape + character, typed };
    } else if (stringIntroducers.includes(character)) {
      this.#reading = { kind: 'string', introducer: character, payload: '', typed, isEnding: false, sinceMs: this.#nowMs };
    } else if (typed === escapeKey && character !== enter) {
      // A terminal sends Alt and a key in one piece.
      this.#keys += escapeKey;
      this.#takeAnew(character);
    } else {
      this.#keys += escape + character;
      this.#reading = keys;
    }
  }

  #endSequence(text: string): void {
    this.#reading = keys;
    const isDoubled = text.startsWith(escape + escape);
    const sequence = isDoubled ? text.slice(1) : text;
    if (sequence === pasteStart) this.#reading = { kind: 'paste', paste: new Paste() };
    else if (sequence === `${escape}[M`) this.#reading = { kind: 'mouse', bytesLeft: 3 };
    else if (sequence !== pasteEnd && !isReply(sequence)) {
      this.#keys += text;
      return;
    }
    // Esc was typed, and then came what nobody types.
    if (isDoubled) this.#keys += escapeKey;
  }

  #takeOfString(reading: Reading & { readonly kind: 'string' }, character: string, isFirst: boolean): void {
    if (reading.isEnding && character === '\\') {
      this.#reading = keys;
    } else if (reading.isEnding) {
      this.#giveUpString(reading);
      this.#reading = { kind: 'sequence', text: escape, typed: escape };
      this.#take(character, isFirst);
    } else if (character === '\u0007' || (character === eightBitEnd && reading.typed === undefined)) {
      this.#reading = keys;
    } else if (character === escape) {
      this.#reading = { ...reading, isEnding: true };
    } else if (isControl(character)) {
      this.#giveUpString(reading);
      this.#take(character, false);
    } else {
      const payload = reading.payload.length < mostKept ? reading.payload + character : reading.payload;
      this.#reading = { ...reading, payload };
    }
  }

  /** What is no answer was typed: Esc or Alt, and some keys. */
  #giveUpString({ introducer, payload, typed }: Reading & { readonly kind: 'string' }): void {
    this.#reading = keys;
    if (typed === undefined || isAnswer(introducer, payload)) return;
    this.#keys += typed + introducer + payload;
  }

  #giveUp(): void {
    const reading = this.#reading;
    this.#reading = keys;
    if (reading.kind === 'string') {
      this.#giveUpString(reading);
      if (reading.isEnding) this.#keys += escapeKey;
    } else if (reading.kind === 'sequence') {
      const { text, typed } = reading;
      if (/^\u001B+$/u.test(text)) {
        this.#keys += escapeKey.repeat(text.length);
        this.#aloneMs = this.#readMs;
      } else if (typed !== undefined && typed !== escape && text.length === 2) this.#keys += typed + text.charAt(1);
    } else if (reading.kind === 'paste') {
      // Without the Esc that ended it.
      this.#endPaste(reading.paste.text().slice(0, -1));
    }
  }

  /** Answers what follows the paste. */
  #takePaste(paste: Paste, piece: string): string {
    const end = paste.add(piece);
    if (end === undefined) {
      // A paste whose end was lost would keep the keyboard for ever: Ctrl-C or Esc with nothing behind it ends it.
      this.#isLeavingPaste = piece.endsWith(escape);
      if (!piece.endsWith(interrupt)) return '';
      this.#endPaste(paste.text().slice(0, -1));
      return interrupt;
    }
    this.#endPaste(end.text);
    return end.rest;
  }

  #endPaste(text: string): void {
    this.#reading = keys;
    this.#keys += pasteStart + text + pasteEnd;
  }
}

/** Whether it has begun as no answer does. */
function isTyped({ introducer, payload, typed }: Reading & { readonly kind: 'string' }): boolean {
  return typed !== undefined && payload !== '' && !isAnswer(introducer, payload);
}
