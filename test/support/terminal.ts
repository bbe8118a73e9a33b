import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { killSession, type LiveProcess, sessionProcesses, signalProcess } from './processes.ts';
import { type Pty, spawnPty } from './terminal-pty.ts';
import { type Cell, type TerminalEffects, type TerminalModes, TerminalScreen } from './terminal-screen.ts';

export interface TerminalOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  /** Added to a small clean environment without CI, NO_COLOR and FORCE_COLOR. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** Runs `stty -a` before and after the program (`Exit.ttyBefore`, `Exit.ttyAfter`), in a shell around it. */
  readonly checkTty?: boolean | undefined;
  /** Called with every chunk of output before it is drawn. */
  readonly onOutput?: ((bytes: Uint8Array) => void) | undefined;
}

export interface Exit {
  /** The exit code; 0 if a signal ended the program and there is no shell around it. */
  readonly code: number;
  readonly signal: NodeJS.Signals | undefined;
  /** Output of `stty -a`; `undefined` without `checkTty` or if the terminal was gone. */
  readonly ttyBefore: string | undefined;
  readonly ttyAfter: string | undefined;
}

export interface WaitOptions {
  /** Default: 30 s, for slow machines. */
  readonly timeoutMs?: number | undefined;
}

/** What to wait for: a text anywhere on the screen, a pattern over all rows joined by line feeds, or a condition. */
export type Expected = string | RegExp | ((terminal: TerminalSession) => boolean);

/** Less than a test may take, so that its failure shows the screen. */
const maxExitMs = 60_000;

// The program replaces the inner shell, so the file contains the program's process id. The traps keep
// this shell alive when the terminal signals all its processes; children do not inherit them.
const sttyScript = `
trap : INT HUP TERM QUIT
stty -a >"$RIG/before" 2>/dev/null
sh -c 'echo $$ >"$RIG/pid"; unset RIG; exec "$@"' sh "$@"
code=$?
stty -a >"$RIG/after" 2>/dev/null || rm -f "$RIG/after"
exit $code`;

/** Starts a program in a new pseudo-terminal. End it with `close()`. */
export function openTerminal(options: TerminalOptions): TerminalSession {
  return new TerminalSession(options);
}

export class TerminalSession {
  readonly screen: TerminalScreen;
  /** Resolves when the program has ended and all of its output is drawn, however long that takes. */
  readonly ended: Promise<Exit>;
  readonly #pty: Pty;
  readonly #rigFolder: string | undefined;
  readonly #stateFolder = mkdtempSync(path.join(tmpdir(), 'terminal-state-'));
  readonly #events = new EventEmitter();
  #drawn: Promise<void> = Promise.resolve();
  #bytes = 0;
  #hasExited = false;

  constructor(options: TerminalOptions) {
    const { command, args = [], cols = 80, rows = 24 } = options;
    this.#events.setMaxListeners(0);
    this.#rigFolder = options.checkTty === true ? mkdtempSync(path.join(tmpdir(), 'terminal-')) : undefined;
    this.screen = new TerminalScreen(cols, rows, (reply) => this.#send(reply));
    const isWrapped = this.#rigFolder !== undefined;
    this.#pty = spawnPty({
      command: isWrapped ? 'sh' : command,
      args: isWrapped ? ['-c', sttyScript, 'sh', command, ...args] : args,
      cols,
      rows,
      cwd: options.cwd ?? process.cwd(),
      env: {
        ...cleanEnvironment(),
        XDG_STATE_HOME: this.#stateFolder,
        ...(isWrapped ? { RIG: this.#rigFolder } : {}),
        ...options.env,
      },
      onData: (bytes) => {
        this.#bytes += bytes.length;
        options.onOutput?.(bytes);
        this.#drawn = this.#draw(bytes);
      },
    });
    this.ended = this.#end();
  }

  /** The process in the terminal; with `checkTty` the shell around the program. */
  get pid(): number {
    return this.#pty.pid;
  }

  /**
   * Resolves like `ended`, for a program that should end now.
   * @throws Error with the whole screen if it still runs after a minute.
   */
  get exited(): Promise<Exit> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(this.#failure(`Waited ${maxExitMs} ms for the end of the program.`));
      }, maxExitMs);
    });
    return Promise.race([this.ended, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  /** Bytes of output so far. */
  get bytesReceived(): number {
    return this.#bytes;
  }

  lines(): string[] {
    return this.screen.lines();
  }

  text(): string {
    return this.screen.text();
  }

  cell(x: number, y: number): Cell {
    return this.screen.cell(x, y);
  }

  modes(): TerminalModes {
    return this.screen.modes();
  }

  effects(): TerminalEffects {
    return this.screen.effects();
  }

  press(...keys: readonly Key[]): void {
    for (const key of keys) this.#send(keyBytes(key));
  }

  /** Sends the text unchanged, in one write. */
  type(text: string): void {
    this.#send(text);
  }

  /** Sends the text as a paste. */
  paste(text: string): void {
    this.#send(this.modes().isBracketedPaste ? `\x1b[200~${text}\x1b[201~` : text);
  }

  /** Resizes the screen and then notifies the program, like a real terminal. */
  resize(cols: number, rows: number): void {
    this.screen.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  /** Signals the program itself, even with a shell around it. */
  signal(signal: NodeJS.Signals): void {
    const pid =
      this.#rigFolder === undefined ? this.pid : Number(readFileSync(path.join(this.#rigFolder, 'pid'), 'utf8'));
    signalProcess(pid, signal);
  }

  /**
   * Resolves as soon as the screen shows it, possibly at once. The screen is checked after each chunk of output,
   * but not inside a synchronized update.
   * @throws Error with the whole screen on timeout or when the program has ended.
   */
  async waitFor(expected: Expected, options: WaitOptions = {}): Promise<void> {
    await this.#until(() => !this.modes().isSynchronizedOutput && this.#shows(expected), describe(expected), options);
  }

  /** Presses a key and waits for its effect, which must not be on the screen yet. */
  async pressAndWaitFor(key: Key, expected: Expected, options?: WaitOptions): Promise<void> {
    if (this.#shows(expected))
      throw this.#failure(`Before "${key}" was pressed, the screen shows already ${describe(expected)}.`);
    this.press(key);
    await this.waitFor(expected, options);
  }

  /** Resolves with the next output after this call. */
  async nextOutput(options: WaitOptions = {}): Promise<void> {
    const before = this.#bytes;
    await this.#until(() => this.#bytes > before, 'more output', options);
  }

  /** The live processes of this terminal. */
  processes(): LiveProcess[] {
    return sessionProcesses(this.pid);
  }

  /** Closes the window: the system sends SIGHUP to the program. */
  hangUp(): void {
    this.#pty.hangUp();
  }

  /** Kills the program and everything that it started in this terminal, and waits for the end. */
  async close(): Promise<void> {
    // After its end, the process id may be reused.
    if (!this.#hasExited) signalProcess(this.pid, 'SIGKILL');
    await this.ended;
    await killSession(this.pid);
    this.screen.dispose();
    for (const folder of [this.#rigFolder, this.#stateFolder])
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }

  async #draw(bytes: Uint8Array): Promise<void> {
    await this.screen.write(bytes);
    this.#events.emit('drawn');
  }

  async #end(): Promise<Exit> {
    const { code, signal } = await this.#pty.exited;
    await this.#drawn;
    this.#hasExited = true;
    this.#events.emit('drawn');
    return { code, signal: signalName(signal), ...this.#ttySettings() };
  }

  async #until(condition: () => boolean, what: string, { timeoutMs = 30_000 }: WaitOptions): Promise<void> {
    const deadline = AbortSignal.timeout(timeoutMs);
    while (!condition()) {
      if (this.#hasExited) throw this.#failure(`The program ended before ${what}.`);
      try {
        await once(this.#events, 'drawn', { signal: deadline });
      } catch {
        throw this.#failure(`Waited ${timeoutMs} ms for ${what}.`);
      }
    }
  }

  #send(bytes: string): void {
    if (!this.#hasExited) this.#pty.write(bytes);
  }

  #shows(expected: Expected): boolean {
    if (typeof expected === 'function') return expected(this);
    return typeof expected === 'string' ? this.text().includes(expected) : expected.test(this.text());
  }

  #ttySettings(): Pick<Exit, 'ttyBefore' | 'ttyAfter'> {
    return { ttyBefore: this.#rigFile('before'), ttyAfter: this.#rigFile('after') };
  }

  #rigFile(name: string): string | undefined {
    if (this.#rigFolder === undefined) return undefined;
    try {
      return readFileSync(path.join(this.#rigFolder, name), 'utf8') || undefined;
    } catch {
      return undefined;
    }
  }

  #failure(message: string): Error {
    const edge = '─'.repeat(this.screen.cols);
    return new Error(
      `${message} The screen (${this.screen.cols}×${this.screen.rows}):\n${edge}\n${this.text()}\n${edge}`,
    );
  }
}

function describe(expected: Expected): string {
  if (typeof expected === 'function') return `what ${expected.toString()} asks`;
  return typeof expected === 'string' ? JSON.stringify(expected) : String(expected);
}

function signalName(signal: number): NodeJS.Signals | undefined {
  const names: readonly string[] = Object.keys(constants.signals);
  return names.find(
    (name): name is NodeJS.Signals => signal !== 0 && constants.signals[name as NodeJS.Signals] === signal,
  );
}

function cleanEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'USER', 'SHELL', 'TMPDIR', 'XDG_CACHE_HOME'];
  // Ignores the developer's own configuration.
  const environment: Record<string, string> = {
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: '/nonexistent',
  };
  for (const name of kept) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

const named = {
  enter: '\r',
  esc: '\x1b',
  tab: '\t',
  'shift-tab': '\x1b[Z',
  space: ' ',
  backspace: '\x7f',
  delete: '\x1b[3~',
  insert: '\x1b[2~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  'page-up': '\x1b[5~',
  'page-down': '\x1b[6~',
} as const;

/** A key by its name, `ctrl-` and one letter, or one character. */
export type Key = keyof typeof named | `ctrl-${string}` | (string & {});

/**
 * Returns what a terminal sends for a key.
 * @throws RangeError for an unknown name: typed letter by letter it would do something else.
 */
export function keyBytes(key: Key): string {
  if (Object.hasOwn(named, key)) return named[key as keyof typeof named];
  const control = /^ctrl-([a-z[\\\]^_])$/.exec(key)?.[1];
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f);
  if ([...key].length === 1) return key;
  throw new RangeError(`No key is called "${key}".`);
}
