import { readFileSync } from 'node:fs';

/** Bracketed paste, which shells switch off before they run something, and no cursor. The alternate screen was never left. */
const ownModes = '\u001B[?2004h\u001B[?25l';

/**
 * Takes the terminal again after the program was stopped from outside (SIGSTOP, then `fg`): the shell
 * has set its own modes and written over the screen meanwhile, and changes of size went unheard.
 * `repaint` draws all of it again; what is written beside that goes to `stdout`.
 *
 * @returns a function that stops watching.
 */
export function watchForReturn(stdin: NodeJS.ReadStream, stdout: NodeJS.WritableStream, repaint: () => void): () => void {
  const onContinue = (): void => {
    if (!stdin.isRaw || !isInForeground()) return;
    // Setting the mode that Node believes to be set does nothing.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    stdout.write(ownModes);
    // Node reads the size again on this signal alone.
    process.emit('SIGWINCH', 'SIGWINCH');
    repaint();
  };
  process.on('SIGCONT', onContinue);
  return () => process.off('SIGCONT', onContinue);
}

/**
 * Synchronized output, scrolling region, wrapping, bracketed paste, cursor, main screen and colours, as shells like
 * them. The first character ends a sequence that was written only in part.
 */
export const shellModes = '\u0018\u001B[?2026l\u001B[r\u001B[?7h\u001B[?2004l\u001B[?25h\u001B[?1049l\u001B[m';

/** Gives the terminal back when the screen could not be taken down as it should be. */
export function forceBack(stdin: NodeJS.ReadStream, stdout: NodeJS.WritableStream): void {
  stdin.setRawMode(false);
  stdout.write(shellModes);
}

/**
 * Whether the terminal is this program's now. Continued in the background, it is the shell's, which
 * must not be disturbed. Where the system does not tell, the answer is yes.
 */
function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // After the name in parentheses: state, parent, process group, session, terminal, its foreground group.
    const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foregroundGroup;
  } catch {
    return true;
  }
}
