import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { ReadStream } from 'node:tty';

/**
 * Waits for its pipe to close, then restores the terminal unless the last word was `off`.
 *
 * By then a shell with job control may have taken the terminal back, and most shells set it up themselves. So the
 * first `stty` leaves SIGTTOU on: the system refuses or stops it if the shell was faster. The second one is for
 * shells that left raw mode on.
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

/** If the shell takes longer to start, there is no guard. */
const maxStartMs = 1_000;

/** A small process that restores the terminal when this one dies without doing so: SIGKILL, out of memory, a crash of Node. */
export interface TerminalGuard {
  /** From now on raw mode means that the screen is taken too, and `modes` gives it back. */
  coverScreen(modes: string): void;
  /** Ends the guard. When the terminal is still raw, the guard stays until this process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a guard that acts while `stdin` is in raw mode, by wrapping `setRawMode`. Must be called before raw mode is set: the
 * current settings are the ones restored.
 *
 * @returns `undefined` without a controlling terminal, `sh` or `stty`.
 */
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
  // Absent when the system has no file descriptors left.
  const pipe: unknown = child.stdio?.[3];
  if (!(pipe instanceof Duplex) || !(await isReady(child, pipe, exited))) return undefined;
  child.unref();
  return follow(stdin, child, pipe, exited);
}

async function isReady(child: ChildProcess, pipe: Duplex, exited: Promise<false>): Promise<boolean> {
  // Also later: the guard may be killed.
  pipe.on('error', () => {});
  const late = setTimeout(() => { child.kill('SIGKILL'); }, maxStartMs);
  const answered = new Promise<true>((resolve) => { pipe.once('data', () => resolve(true)); });
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
    coverScreen: (given) => { modes = given; },
    stop: async () => {
      if (stdin.isRaw) return;
      child.ref();
      child.kill('SIGKILL');
      await exited;
    },
  };
}
