import { plainKey } from './key-reports.ts';

const escape = '\u001B';
/** Longer than any typed string; the rest is dropped. */
const maxStringLength = 4_096;
const maxSequenceLength = 64;

const stringIntroducers = ']PX^_';
/** Matches how strings in replies begin; `ESC P` and a letter is more likely typed. */
const replyStarts: Readonly<Record<string, RegExp | undefined>> = { ']': /^[0-9lLI]/u, P: /^[0-9>!=$+|]/u, _: /^G/u };

/** Matches the rest of a sequence that arrives in one chunk after its Esc. Keys are not pressed that fast. */
const lateRest = /^(?:\[[?<=>0-9A-DFHIOMZ]|\][0-9lLI]|P[0-9>!=$+|]|_G)/u;
const lateIntroducer = /^[[\]P_]$/u;
/**
 * Matches a rest that comes much later. Slow lines join typed keys into one chunk too, so it is only what nobody types.
 */
const lateReply = new RegExp(
  `^(?:${[
    // Reports: attributes, keyboard, modes; mouse; cursor, window, colours; state.
    String.raw`\[[?>=][0-9][0-9;:]*(?:[cnu]|\$y)`,
    String.raw`\[[?<]?[0-9]+(?:;[0-9]+)+(?:[RtxMmS]|\$y)`,
    String.raw`\[[03]n`,
    // Keys with modifiers or numbers.
    String.raw`\[1;[0-9:]+[A-FHPQRS]`,
    String.raw`\[[1-9][0-9;:]*[~^@]`,
    String.raw`\[(?:9;|[1-9][0-9])[0-9;:]*u`,
    // Strings: colours, the clipboard; version, settings, capabilities; graphics.
    String.raw`\](?:[1-9][0-9]+|[45];[0-9]+);`,
    String.raw`P(?:[>!]\||[01][$+]r)`,
    '_Gi=',
  ].join('|')})`,
  'u',
);
/** Matches the end of a sequence or string whose rest came too late; its other pieces are matched below. */
const sequenceEnd = /^[?<=>]?[0-9;:]*[ -/]*[A-DFHIMOP-SZcmntuxy~]/u;
const sequencePiece = /^[?<=>]?[0-9;:]+$/u;
// oxlint-disable-next-line no-control-regex
const stringEnd = /^[ -~]*(?:\u0007|\u001B\\|\u009C)/u;
const stringPiece = /^[0-9A-Fa-f/:;rgb]+$/u;
const plainInput = /^[\0-\u001A\u001C-\u007F]*$/u;
/** Introducers as single bytes, sent by terminals that reply with 8-bit controls. */
const eightBitIntroducers = '\u0090\u0098\u009B\u009D\u009E\u009F';
const eightBitEnd = '\u009C';

function continuationBytes(first: string): number {
  if (first < '\u00C2' || first > '\u00F4') return 0;
  return first < '\u00E0' ? 1 : first < '\u00F0' ? 2 : 3;
}

const isControl = (character: string): boolean => character < ' ' || character === '\u007F';
const isFinal = (character: string): boolean => character >= '@' && character <= '~';

function isReplyString(introducer: string, payload: string): boolean {
  return payload.length >= maxStringLength || replyStarts[introducer]?.test(payload) === true;
}

function isEndOfSequence(text: string, character: string): boolean {
  const body = text.slice(text.lastIndexOf(escape) + 1);
  // Function keys of the Linux console: ESC [ [ A.
  if (body === '[' && character === '[') return false;
  // Shifted editing keys of rxvt end with $.
  return isFinal(character) || (character === '$' && /^\[[235678]$/u.test(body));
}

function isReply(sequence: string): boolean {
  // Private: device attributes, modes, mouse, keyboard state, colour scheme.
  if (/^\u001B\[[<=>?]/u.test(sequence)) return true;
  // Focus; an intermediate byte (20 to 2F) marks a report that looks like a key otherwise.
  if (/^\u001B\[([IO]$|[0-9;]*[ -#%-/])/u.test(sequence) || /^\u001B\[[0-9;]+\$[@-~]$/u.test(sequence)) return true;
  // Cursor, state, window, attributes, mouse of urxvt.
  return /^\u001B\[[0-9;:]+[RntcxMm]$/u.test(sequence) || sequence.length >= maxSequenceLength;
}

/** Whether a key sends this sequence after its Esc, and it is not several keys typed after Esc. */
function isKeySequence(sequence: string): boolean {
  return /^\u001B\[(?:\[?[A-Z]|1;[0-9:]+[A-Z]|[1-9][0-9;:]*[~^@$u])$/u.test(sequence);
}

const pasteStart = `${escape}[200~`;
const pasteEnd = `${escape}[201~`;
const maxPasteLength = 4 * 1024 * 1024;

class Paste {
  readonly #chunks: string[] = [];
  #length = 0;
  #tail = '';

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
      text:
        keptOfMark > 0 ? pasted.slice(0, pasted.length - keptOfMark) : pasted + chunk.slice(0, at - this.#tail.length),
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

const interrupt = '\u0003';
const enter = '\r';

/** The Esc key as kitty's unambiguous sequence, after which the reader need not wait for more. */
export const escapeKey = '\u001B[27u';

/** After this time Esc alone is a key. Until then the rest of a sequence may arrive. */
const escapeMs = 20;
/** The rest of a string that does not look like a reply is awaited so long. */
const typedMs = 100;
/** The next chunk of a sequence or a reply is awaited so long: a lost packet takes 200 ms and more. */
const replyMs = 500;
const maxReplyMs = 2_000;
/** The late rest of a reply is recognised so long, if it comes in pieces of several bytes. */
const lateReplyMs = 10_000;
/** The late rest of a reply is recognised so long in a single byte, which may be a key. */
const lateByteMs = 2_000;
/** An Esc in a paste may be the first byte of the end mark for so long, on a bad line. */
const pasteEndMs = 300;
/** A single `[` is taken for the rest of the sequence of an Esc that was passed on as a key so long ago. */
const lateMs = 100;

/**
 * The Esc key; Alt if one read had it and the next byte; empty if Esc was passed on. `undefined`: a byte that no key
 * sends.
 */
type FirstByte = typeof escapeKey | typeof escape | '' | undefined;

type Reading =
  | { readonly kind: 'keys' }
  | { readonly kind: 'sequence'; readonly text: string; readonly firstByte: FirstByte }
  | {
      readonly kind: 'string';
      readonly introducer: string;
      readonly payload: string;
      readonly firstByte: FirstByte;
      readonly isEnding: boolean;
      readonly sinceMs: number;
    }
  | { readonly kind: 'mouse'; readonly bytesLeft: number }
  | { readonly kind: 'paste'; readonly paste: Paste };

const readingKeys: Reading = { kind: 'keys' };

/** A reply whose rest did not come in time. `isCertain`: not even its beginning can be typed. */
interface Unfinished {
  readonly kind: 'sequence' | 'string';
  readonly isCertain: boolean;
  readonly sinceMs: number;
}

/**
 * Called with a reply: a whole sequence, or a string from its introducer to before its end. The keys before it are not
 * returned again.
 */
export type OnReply = (reply: string, keysBefore: string) => void;

/**
 * Separates keys from what the terminal sends by itself: replies to queries of some program (colours, cursor,
 * attributes, clipboard), focus and mouse reports. These may arrive late, in chunks and in the middle
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
  /** The paste ends with Esc so far: the end mark begins, or the user cancels. */
  #isLeavingPaste = false;
  #escapeAtMs: number | undefined;
  #unfinished: Unfinished | undefined;
  /** Counts the continuation bytes still to come, which are no introducers. */
  #bytesLeft = 0;
  readonly #onReply: OnReply | undefined;

  constructor(onReply?: OnReply) {
    this.#onReply = onReply;
  }

  /** Returns the keys in this chunk and in input held back. A paste is returned whole, with its marks. */
  push(received: string, nowMs: number): string {
    this.#nowMs = nowMs;
    this.#readMs = nowMs;
    const chunk = this.#withoutRest(received, nowMs);
    const sinceEscapeMs = nowMs - (this.#escapeAtMs ?? Number.NEGATIVE_INFINITY);
    this.#escapeAtMs = undefined;
    const isLate =
      (sinceEscapeMs < replyMs && lateRest.test(chunk)) ||
      (sinceEscapeMs < lateReplyMs && lateReply.test(chunk)) ||
      (sinceEscapeMs < lateMs && lateIntroducer.test(chunk));
    if (this.#reading.kind === 'keys' && isLate) {
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

  expire(nowMs: number): string {
    this.#nowMs = nowMs;
    const { dueMs } = this;
    if (dueMs === undefined || nowMs < dueMs) return '';
    this.#giveUp();
    return this.#takeKeys();
  }

  reset(): void {
    this.#reading = readingKeys;
    this.#unfinished = undefined;
    this.#keys = '';
    this.#isLeavingPaste = false;
    this.#escapeAtMs = undefined;
    this.#bytesLeft = 0;
  }

  /** Drops the late rest of a reply, which would act if it were taken for keys. */
  #withoutRest(chunk: string, nowMs: number): string {
    const unfinished = this.#unfinished;
    if (unfinished === undefined || this.#reading.kind !== 'keys') return chunk;
    const { kind, isCertain, sinceMs } = unfinished;
    const isRest = (text = ''): boolean =>
      nowMs - sinceMs < (text.length > 1 ? lateReplyMs : isCertain && text.length === 1 ? lateByteMs : 0);
    const [end, piece] = kind === 'string' ? [stringEnd, stringPiece] : [sequenceEnd, sequencePiece];
    this.#unfinished = undefined;
    const ending = end.exec(chunk)?.[0];
    if (ending !== undefined && isRest(ending)) return chunk.slice(ending.length);
    if (!piece.test(chunk) || !isRest(chunk)) return chunk;
    this.#unfinished = { ...unfinished, sinceMs: nowMs };
    return '';
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
          this.#bytesLeft =
            character >= '\u0080' && character < '\u00C0'
              ? Math.max(0, this.#bytesLeft - 1)
              : continuationBytes(character);
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
        else
          this.#reading = reading.bytesLeft === 1 ? readingKeys : { kind: 'mouse', bytesLeft: reading.bytesLeft - 1 };
    }
  }

  #restart(character: string): void {
    this.#reading = readingKeys;
    this.#take(character, false);
  }

  #continueSequence(
    { text, firstByte: before }: Reading & { readonly kind: 'sequence' },
    character: string,
    isFirst: boolean,
  ): void {
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
      this.#endSequence(longer, firstByte);
    } else {
      this.#reading = { kind: 'sequence', text: longer, firstByte };
    }
  }

  #continueEscape(character: string, firstByte: FirstByte): void {
    if ('[O\u001B'.includes(character)) {
      this.#reading = { kind: 'sequence', text: escape + character, firstByte };
    } else if (stringIntroducers.includes(character)) {
      this.#reading = {
        kind: 'string',
        introducer: character,
        payload: '',
        firstByte,
        isEnding: false,
        sinceMs: this.#nowMs,
      };
    } else if (firstByte === escapeKey && character !== enter) {
      this.#keys += escapeKey;
      this.#restart(character);
    } else {
      this.#keys += escape + character;
      this.#reading = readingKeys;
    }
  }

  #endSequence(text: string, firstByte: FirstByte): void {
    this.#reading = readingKeys;
    const isDoubled = text.startsWith(escape + escape);
    const sequence = isDoubled ? text.slice(1) : text;
    if (sequence === pasteStart) this.#reading = { kind: 'paste', paste: new Paste() };
    else if (sequence === `${escape}[M`) this.#reading = { kind: 'mouse', bytesLeft: 3 };
    else if (sequence !== pasteEnd && !isReply(sequence)) {
      const isTyped = firstByte === '' && !isKeySequence(sequence);
      this.#keys += isTyped ? text.slice(1) : isDoubled ? text : plainKey(text);
      return;
    }
    if (isDoubled) this.#keys += escapeKey;
    if (this.#reading.kind === 'keys') this.#handOver(sequence);
  }

  #continueString(reading: Reading & { readonly kind: 'string' }, character: string, isFirst: boolean): void {
    if (reading.isEnding && character === '\\') {
      this.#endString(reading);
    } else if (reading.isEnding) {
      this.#giveUpString(reading);
      this.#reading = { kind: 'sequence', text: escape, firstByte: escape };
      this.#take(character, isFirst);
    } else if (character === '\u0007' || (character === eightBitEnd && reading.firstByte === undefined)) {
      this.#endString(reading);
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

  #endString({ introducer, payload }: Reading & { readonly kind: 'string' }): void {
    this.#reading = readingKeys;
    this.#handOver(introducer + payload);
  }

  #handOver(reply: string): void {
    if (this.#onReply !== undefined) this.#onReply(reply, this.#takeKeys());
  }

  /** Passes on a string that is not a reply as typed: Esc or Alt, and some keys. */
  #giveUpString({ introducer, payload, firstByte }: Reading & { readonly kind: 'string' }): void {
    this.#reading = readingKeys;
    if (firstByte === undefined || isReplyString(introducer, payload)) return;
    this.#keys += firstByte + introducer + payload;
  }

  #giveUp(): void {
    const reading = this.#reading;
    this.#reading = readingKeys;
    if (reading.kind === 'string') {
      const isReplyBegun = reading.firstByte === undefined || isReplyString(reading.introducer, reading.payload);
      if (isReplyBegun) this.#unfinished = { kind: 'string', isCertain: true, sinceMs: this.#readMs };
      this.#giveUpString(reading);
      if (reading.isEnding) this.#keys += escapeKey;
    } else if (reading.kind === 'sequence') {
      const { text, firstByte } = reading;
      if (/^\u001B+$/u.test(text)) {
        this.#keys += escapeKey.repeat(text.length);
        this.#escapeAtMs = this.#readMs;
        return;
      }
      this.#unfinished = { kind: 'sequence', isCertain: text.length > 2, sinceMs: this.#readMs };
      if (firstByte !== undefined && firstByte !== escape && text.length === 2)
        this.#keys += firstByte + text.charAt(1);
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
