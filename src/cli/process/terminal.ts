import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { mouseOff, mouseOn } from '../../terminal/reports.ts';

/**
 * Restores the terminal. The first `stty` leaves SIGTTOU on, so that it stops if a shell took the terminal back; the
 * second is for shells that left raw mode on.
 */
const script = `
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
exec 4<>/dev/tty
before=$(stty -g <&4) || exit
echo ready >&3
last=off
while read -r state modes <&3; do
  last=$state
  left=$modes
  [ "$state" = off ] || raw=$(stty -g <&4)
done
[ "$last" = off ] && exit
printf %s "$left" >&4
(trap - TTOU; exec stty "$before" <&4) &
sleep 0.05
kill -9 $!
wait $! || { [ "$(stty -g <&4)" = "$raw" ] && stty "$before" <&4; }
`;

/** The shell may take so long to start. After that there is no guard. */
const maxStartMs = 5_000;

export interface TerminalGuard {
  coverScreen(modes: string): void;
  /** Stops the guard. If the terminal is still raw, it stays until this process has ended. */
  stop(): Promise<void>;
}

/** Returns `undefined` without a controlling terminal, `sh` or `stty`. */
export async function startTerminalGuard(stdin: ReadStream): Promise<TerminalGuard | undefined> {
  if (process.platform === 'win32') return undefined;
  let child: ChildProcess;
  try {
    child = spawn('sh', ['-c', script, 'brokertop-terminal-guard'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  } catch {
    return undefined;
  }
  const exited = new Promise<false>((resolve) => {
    child.once('exit', () => resolve(false));
    child.once('error', () => resolve(false));
  });
  // Absent if the system has no file descriptors left.
  const pipe: unknown = child.stdio?.[3];
  if (!(pipe instanceof Duplex) || !(await isReady(child, pipe, exited))) return undefined;
  child.unref();
  return follow(stdin, child, pipe, exited);
}

async function isReady(child: ChildProcess, pipe: Duplex, exited: Promise<false>): Promise<boolean> {
  // Also later: the guard may be killed.
  pipe.on('error', () => {});
  const late = setTimeout(() => {
    child.kill('SIGKILL');
  }, maxStartMs);
  const answered = new Promise<true>((resolve) => {
    pipe.once('data', () => resolve(true));
  });
  const isAnswered = await Promise.race([answered, exited]);
  clearTimeout(late);
  pipe.pause();
  return isAnswered && !child.killed;
}

function follow(stdin: ReadStream, child: ChildProcess, pipe: Duplex, exited: Promise<unknown>): TerminalGuard {
  const setRawMode = stdin.setRawMode.bind(stdin);
  let modes = '';
  stdin.setRawMode = (isRaw) => {
    setRawMode(isRaw);
    pipe.write(isRaw ? `raw ${modes}\n` : 'off\n');
    return stdin;
  };
  return {
    coverScreen: (given) => {
      modes = given;
    },
    stop: async () => {
      if (stdin.isRaw) return;
      child.ref();
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const programModes = '\u001B[?2004h\u001B[?25l';

/**
 * Repaints when the program is resumed after SIGSTOP: the shell has changed the modes and the screen. Returns a
 * function that stops watching.
 */
export function watchForResume(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WritableStream,
  repaint: () => void,
  hasMouse: boolean,
): () => void {
  const onResume = (): void => {
    if (!stdin.isRaw || !isInForeground()) return;
    // Node skips setting a mode that it believes to be set.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    stdout.write(programModes + (hasMouse ? mouseOn : ''));
    // Makes Node read the size again.
    process.emit('SIGWINCH', 'SIGWINCH');
    repaint();
  };
  process.on('SIGCONT', onResume);
  return () => process.off('SIGCONT', onResume);
}

/** Sets the modes that shells expect. The first character ends a partly written sequence. */
export const shellModes = `\u0018\u001B[?2026l\u001B[r\u001B[?7h\u001B[?2004l${mouseOff}\u001B[?25h\u001B[?1049l\u001B[m`;

type RawInput = NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown };

/**
 * Turns mouse reports on while `stdin` is in raw mode, which Ink leaves in every regular way out, also for a
 * suspension.
 */
export function reportMouse<Stdin extends RawInput>(stdin: Stdin, stdout: NodeJS.WritableStream): Stdin {
  const setRawMode = (isRaw: boolean): Stdin => {
    if (!isRaw) stdout.write(mouseOff);
    stdin.setRawMode?.(isRaw);
    if (isRaw) stdout.write(mouseOn);
    return proxy;
  };
  const proxy: Stdin = new Proxy(stdin, {
    get: (target, key): unknown => {
      if (key === 'setRawMode') return setRawMode;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return proxy;
}

export function restoreTerminal(stdin: NodeJS.ReadStream, stdout: NodeJS.WritableStream): void {
  stdin.setRawMode(false);
  stdout.write(shellModes);
}

/** Whether the terminal may be touched: not by a program resumed in the background (`bg`). `true` without /proc. */
function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // After the name in parentheses: state, ppid, pgrp, session, tty_nr, tpgid.
    const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foregroundGroup;
  } catch {
    return true;
  }
}
