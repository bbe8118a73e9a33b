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
  /** Resolves after `onData` has got the last output. */
  readonly exited: Promise<{ readonly code: number; readonly signal: number }>;
  write(text: string): void;
  resize(cols: number, rows: number): void;
  /** Closes the terminal like a closed window. */
  hangUp(): void;
}

/** Members of node-pty's Unix terminal that its types lack. */
interface UnixPty extends IPty {
  readonly ptsName: string;
  readonly _socket: { destroy: () => unknown };
  destroy(): void;
}

// node-pty leaves its side of every terminal open in programs that start later: a window would stay open as long as they run.
const closeInherited = 'for f in /dev/fd/*; do f=${f##*/}; [ "$f" -gt 2 ] && eval "exec $f>&-"; done';

// Programs never write this, and it is searched only at the end of the output.
const endMark = Buffer.from('\x1b]rig: this was all\x07');

/**
 * Runs a program in a pseudo-terminal and delivers all of its output. node-pty alone can lose the last output,
 * because it takes the first short read after the program's end as the end of the output. So the terminal
 * is kept open here, and a mark is sent through it at the end: everything before the mark is output.
 */
export function spawnPty(options: PtyOptions): Pty {
  const { command, args, cols, rows, cwd, env, onData } = options;
  // Only an interactive bash keeps its prompt.
  const prompt = env['PS1'] === undefined ? [] : ['env', `PS1=${env['PS1']}`];
  // No encoding: decoding chunk by chunk would cut characters in two.
  const pty = unixPty(
    spawn('/bin/bash', ['-c', `${closeInherited}; exec "$@"`, 'bash', ...prompt, command, ...args], {
      name: env['TERM'] ?? 'xterm-256color',
      cols,
      rows,
      cwd,
      env,
      encoding: null,
    }),
  );
  const held = openSync(pty.ptsName, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  const closeSocket = pty._socket.destroy.bind(pty._socket);
  let isEnding = false;
  let unmarked = 0;
  let tail = Buffer.alloc(0);

  function sendMark(): void {
    try {
      unmarked -= writeSync(held, endMark, endMark.length - unmarked);
    } catch (error) {
      // Full: the next output brings another try.
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
