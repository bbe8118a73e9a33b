import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { type IPty, spawn } from '@lydell/node-pty';

export interface PtyOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cols: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onData: (bytes: Uint8Array) => void;
}

export interface Pty {
  readonly pid: number;
  /** Resolves after the last piece of output has been handed to `onData`. */
  readonly exited: Promise<{ readonly code: number; readonly signal: number }>;
  write(text: string): void;
  resize(cols: number, rows: number): void;
  /** Closes the terminal as if its window were closed. */
  hangUp(): void;
}

/** What of node-pty's Unix terminal is needed and in no type of it. */
interface UnixPty extends IPty {
  readonly ptsName: string;
  readonly _socket: { destroy: () => unknown };
  destroy(): void;
}

// No program writes it, and it is looked for at the end of the output only.
const endMark = Buffer.from('\x1b]rig: this was all\x07');

/**
 * A program in a pseudo-terminal, with all of its output. node-pty by itself loses the end of it:
 * when the last process has closed the terminal, the event loop takes the first short read for
 * the end. So the terminal is held open from here, and before node-pty closes it, a mark is sent
 * through it: what came before the mark was all.
 */
export function spawnPty(options: PtyOptions): Pty {
  const { command, args, cols, rows, cwd, env, onData } = options;
  // No encoding: text decoded piece by piece would be a second place to cut characters in two.
  const pty = unixPty(spawn(command, [...args], { name: env['TERM'] ?? 'xterm-256color', cols, rows, cwd, env, encoding: null }));
  const held = openSync(pty.ptsName, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  const closeSocket = pty._socket.destroy.bind(pty._socket);
  let isEnding = false;
  let unmarked = 0;
  let tail = Buffer.alloc(0);

  function sendMark(): void {
    try {
      unmarked -= writeSync(held, endMark, endMark.length - unmarked);
    } catch (error) {
      // Full: there will be output to read, and another try after it.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }

  pty._socket.destroy = () => {
    if (isEnding) return;
    isEnding = true;
    unmarked = endMark.length;
    sendMark();
  };

  pty.onData((data: unknown) => {
    const bytes = data instanceof Uint8Array ? data : Buffer.from(String(data));
    if (!isEnding) {
      onData(bytes);
      return;
    }
    tail = Buffer.concat([tail, bytes]);
    if (unmarked > 0) sendMark();
    const end = tail.indexOf(endMark);
    if (end === -1) return;
    if (end > 0) onData(tail.subarray(0, end));
    closeSync(held);
    closeSocket();
  });

  return {
    pid: pty.pid,
    exited: new Promise((resolve) => {
      pty.onExit(({ exitCode, signal = 0 }) => resolve({ code: exitCode, signal }));
    }),
    write: (text) => pty.write(text),
    resize: (newCols, newRows) => pty.resize(newCols, newRows),
    hangUp: () => pty.destroy(),
  };
}

function unixPty(pty: IPty): UnixPty {
  if (isUnixPty(pty)) return pty;
  throw new Error('The terminal rig does not know this version of node-pty.');
}

function isUnixPty(pty: IPty): pty is UnixPty {
  return 'ptsName' in pty && typeof pty.ptsName === 'string' && '_socket' in pty && 'destroy' in pty;
}
