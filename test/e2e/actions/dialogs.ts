/** Dialogs of the program as an operator goes through them. */
import type { TerminalSession } from '../../support/terminal.ts';
import { bodyOf, hintsOf, waitForCursor, waitForFrame } from '../support.ts';

/** Whether the dialog whose title begins so is on the screen. */
export const dialogIs = (title: string) => (session: TerminalSession): boolean => bodyOf(session).some((line) => line.startsWith(`── ${title}`));

/** Narrows the list to one row and waits for the cursor on it. */
export async function findRow(terminal: TerminalSession, name: string): Promise<void> {
  terminal.press('/');
  await terminal.waitFor((session) => hintsOf(session).includes('Enter take'));
  terminal.press('ctrl-u');
  terminal.type(name);
  terminal.press('enter');
  await terminal.waitFor('Esc clears');
  await waitForCursor(terminal, name);
}

/**
 * Keys that come before a question has settled on the screen are dropped, so that nobody answers what he
 * has not seen: the same keys again, until it can be seen that they were taken.
 */
export async function untilTaken(terminal: TerminalSession, send: () => void, isTaken: (session: TerminalSession) => boolean, timeoutMs = 2_000): Promise<void> {
  for (let attempt = 1; attempt < 10; attempt += 1) {
    send();
    try {
      await terminal.waitFor(isTaken, { timeoutMs });
      return;
    } catch {
      // Once more.
    }
  }
  send();
  await terminal.waitFor(isTaken);
}

/** Types a name that is asked for, until it stands there. */
export const typeName = async (terminal: TerminalSession, name: string): Promise<void> => untilTaken(
  terminal,
  () => { terminal.press('ctrl-u'); terminal.type(name); },
  (session) => bodyOf(session).some((line) => line.startsWith('  type ') && line.endsWith(`: ${name}`)),
  300,
);

/** Answers the question on the screen with yes, as soon as it has stood there long enough to be answered. */
export async function sayYes(terminal: TerminalSession): Promise<void> {
  await untilTaken(terminal, () => { terminal.press('y'); }, (session) => !session.text().includes('N cancel'), 300);
}

/** Answers a question with yes, waits for what came of it, and closes that. */
export async function confirm(terminal: TerminalSession, question: string, outcome = 'Done'): Promise<void> {
  await terminal.waitFor(dialogIs(question));
  await terminal.waitFor((session) => session.text().includes('N cancel'));
  await sayYes(terminal);
  await terminal.waitFor(dialogIs(outcome));
  terminal.press('enter');
  await terminal.waitFor((session) => !dialogIs(outcome)(session));
}

/** Types a name that is asked for, waits for what came of it, and closes that. */
export async function confirmByName(terminal: TerminalSession, question: string, name: string, outcome = 'Done'): Promise<void> {
  await terminal.waitFor(dialogIs(question));
  await typeName(terminal, name);
  terminal.press('enter');
  await terminal.waitFor(dialogIs(outcome));
  terminal.press('enter');
  await terminal.waitFor((session) => !dialogIs(outcome)(session));
}

/** Waits until a form hears what is typed. */
export async function beginForm(terminal: TerminalSession, title: string): Promise<void> {
  await terminal.waitFor(dialogIs(title));
  await untilTaken(terminal, () => { terminal.type('x'); }, (session) => bodyOf(session).some((line) => /^▸ .*[x*]/.test(line)));
}

/** Fills the fields of a form in turn; each is emptied first. */
export async function fillForm(terminal: TerminalSession, title: string, texts: readonly string[]): Promise<void> {
  await beginForm(terminal, title);
  for (const [index, text] of texts.entries()) {
    await terminal.waitFor(`${index + 1} of ${texts.length}`);
    terminal.press('ctrl-u');
    terminal.type(text);
    terminal.press('enter');
  }
}

/** Steps through the choices of a field, once it is typed into, until this one stands there. */
export async function chooseInForm(terminal: TerminalSession, field: string, choice: string): Promise<void> {
  const chosen = (session: TerminalSession): string | undefined => bodyOf(session).find((line) => line.startsWith(`▸ ${field} `))?.match(/« (\S+) »/)?.[1];
  await terminal.waitFor((session) => chosen(session) !== undefined);
  while (chosen(terminal) !== choice) {
    const before = chosen(terminal);
    terminal.press('right');
    await terminal.waitFor((session) => chosen(session) !== before && chosen(session) !== undefined);
  }
}

/** Closes what came of an action, once it says so. */
export async function showOutcome(terminal: TerminalSession, text: string): Promise<void> {
  await terminal.waitFor((session) => session.text().includes(text) && session.text().includes('Enter Esc close'));
  terminal.press('enter');
  await waitForFrame(terminal);
}

/** Waits for a question that says so. */
export async function showQuestion(terminal: TerminalSession, text: string): Promise<void> {
  await terminal.waitFor((session) => session.text().includes(text) && session.text().includes('N cancel'));
}
