import { StringDecoder } from 'node:string_decoder';
import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';

/** The default colour, an index of the palette, or `#rrggbb`. */
export type CellColor = 'default' | number | `#${string}`;

/** One cell of the screen. The right half of a wide character has an empty `char` and width 0. */
export interface Cell {
  readonly char: string;
  readonly width: number;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  readonly strikethrough: boolean;
  readonly foreground: CellColor;
  readonly background: CellColor;
}

/** Modes that a program may leave switched on. */
export interface TerminalModes {
  readonly isAlternateScreen: boolean;
  readonly isCursorVisible: boolean;
  readonly isBracketedPaste: boolean;
  readonly mouse: 'none' | 'x10' | 'vt200' | 'drag' | 'any';
  readonly isFocusReporting: boolean;
  readonly isWraparound: boolean;
  readonly isInsert: boolean;
  readonly isOrigin: boolean;
  readonly isApplicationCursorKeys: boolean;
  readonly isSynchronizedOutput: boolean;
}

/** Effects of the output other than drawing, in order. */
export interface TerminalEffects {
  readonly titles: readonly string[];
  /** Decoded texts for the clipboard (OSC 52); a query is `?`. */
  readonly clipboard: readonly string[];
  /** The terminal's replies to queries (cursor position, device attributes, …). */
  readonly replies: readonly string[];
  /** Other OSC commands: links, notifications, palette, working folder, … */
  readonly commands: readonly { readonly id: number; readonly data: string }[];
  readonly bells: number;
}

const otherCommands = [4, 7, 8, 9, 10, 11, 12, 104, 110, 111, 112, 133, 777, 1337];

/** A headless terminal: takes output and holds the screen. */
export class TerminalScreen {
  readonly #terminal: Terminal;
  readonly #decoder = new StringDecoder('utf8');
  readonly #titles: string[] = [];
  readonly #clipboard: string[] = [];
  readonly #replies: string[] = [];
  readonly #commands: { id: number; data: string }[] = [];
  #bells = 0;
  #isCursorVisible = true;

  constructor(cols: number, rows: number, onReply: (bytes: string) => void = () => undefined) {
    const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 2_000 });
    this.#terminal = terminal;
    terminal.onTitleChange((title) => this.#titles.push(title));
    terminal.onBell(() => {
      this.#bells += 1;
    });
    terminal.onData((bytes) => {
      this.#replies.push(bytes);
      onReply(bytes);
    });
    terminal.parser.registerOscHandler(52, (data) => {
      this.#clipboard.push(clipboardText(data));
      return true;
    });
    for (const id of otherCommands) {
      terminal.parser.registerOscHandler(id, (data) => {
        this.#commands.push({ id, data });
        return false;
      });
    }
    // xterm does not expose this mode.
    for (const final of ['h', 'l']) {
      terminal.parser.registerCsiHandler({ prefix: '?', final }, (parameters) => {
        if (parameters.includes(25)) this.#isCursorVisible = final === 'h';
        return false;
      });
    }
  }

  /** Resolves when the bytes have been processed. Calls resolve in order. */
  write(bytes: Uint8Array | string): Promise<void> {
    // xterm's own decoder loses a character like \u2013 (E2 80 93) that is cut after its second byte.
    const text = typeof bytes === 'string' ? bytes : this.#decoder.write(bytes);
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  get cols(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /** The rows of the screen without trailing blanks. */
  lines(): string[] {
    const buffer = this.#terminal.buffer.active;
    return Array.from({ length: this.rows }, (_, y) => buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? '');
  }

  /** All rows, one a line. */
  text(): string {
    return this.lines().join('\n');
  }

  /** The cell in column `x` and row `y`, both from 0. */
  cell(x: number, y: number): Cell {
    const buffer = this.#terminal.buffer.active;
    const cell = buffer.getLine(buffer.baseY + y)?.getCell(x);
    if (cell === undefined) throw new RangeError(`The screen of ${this.cols}×${this.rows} has no cell ${x},${y}.`);
    return readCell(cell);
  }

  /** All cells of row `y`, from 0. */
  row(y: number): Cell[] {
    return Array.from({ length: this.cols }, (_, x) => this.cell(x, y));
  }

  cursor(): { readonly x: number; readonly y: number } {
    const { cursorX: x, cursorY: y } = this.#terminal.buffer.active;
    return { x, y };
  }

  modes(): TerminalModes {
    const { modes } = this.#terminal;
    return {
      isAlternateScreen: this.#terminal.buffer.active.type === 'alternate',
      isCursorVisible: this.#isCursorVisible,
      isBracketedPaste: modes.bracketedPasteMode,
      mouse: modes.mouseTrackingMode,
      isFocusReporting: modes.sendFocusMode,
      isWraparound: modes.wraparoundMode,
      isInsert: modes.insertMode,
      isOrigin: modes.originMode,
      isApplicationCursorKeys: modes.applicationCursorKeysMode,
      isSynchronizedOutput: modes.synchronizedOutputMode,
    };
  }

  effects(): TerminalEffects {
    return {
      titles: [...this.#titles],
      clipboard: [...this.#clipboard],
      replies: [...this.#replies],
      commands: [...this.#commands],
      bells: this.#bells,
    };
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}

/** Modes of a fresh terminal. */
export const untouchedModes: TerminalModes = {
  isAlternateScreen: false,
  isCursorVisible: true,
  isBracketedPaste: false,
  mouse: 'none',
  isFocusReporting: false,
  isWraparound: true,
  isInsert: false,
  isOrigin: false,
  isApplicationCursorKeys: false,
  isSynchronizedOutput: false,
};

function clipboardText(data: string): string {
  const content = data.slice(data.indexOf(';') + 1);
  return content === '?' ? content : Buffer.from(content, 'base64').toString('utf8');
}

function readCell(cell: IBufferCell): Cell {
  return {
    char: cell.getWidth() === 0 ? '' : cell.getChars() || ' ',
    width: cell.getWidth(),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
    strikethrough: cell.isStrikethrough() !== 0,
    foreground: color(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    background: color(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
  };
}

function color(isDefault: boolean, isRgb: boolean, value: number): CellColor {
  if (isDefault) return 'default';
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : value;
}
