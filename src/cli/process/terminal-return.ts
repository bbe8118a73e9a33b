import { readFileSync } from 'node:fs';

/** Bracketed paste on, cursor hidden. The alternate screen was never left. */
const programModes = '\u001B[?2004h\u001B[?25l';

/**
 * Takes the terminal back when the program is resumed (SIGSTOP, then `fg`): the shell has set its own modes and written
 * over the screen, and resizes were missed. `repaint` redraws everything. Returns a function that stops watching.
 */
export function watchForResume(stdin: NodeJS.ReadStream, stdout: NodeJS.WritableStream, repaint: () => void): () => void {
  const onResume = (): void => {
    if (!stdin.isRaw || !isInForeground()) return;
    // Node skips setting a mode that it believes to be set.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    stdout.write(programModes);
    // Makes Node read the size again.
    process.emit('SIGWINCH', 'SIGWINCH');
    repaint();
  };
  process.on('SIGCONT', onResume);
  return () => process.off('SIGCONT', onResume);
}

/**
 * Synchronized output, scrolling region, wrapping, bracketed paste, cursor, main screen and colours, as shells like
 * them. The first character ends a sequence that was written only in part.
 */
export const shellModes = '\u0018\u001B[?2026l\u001B[r\u001B[?7h\u001B[?2004l\u001B[?25h\u001B[?1049l\u001B[m';

/** Restores the terminal when the screen could not be closed regularly. */
export function restoreTerminal(stdin: NodeJS.ReadStream, stdout: NodeJS.WritableStream): void {
  stdin.setRawMode(false);
  stdout.write(shellModes);
}

/** Whether this program is in the foreground. Resumed in the background (`bg`), it must not touch the terminal. `true` without /proc. */
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
