/** Dialogs of the program as an operator goes through them. */
import { hasDialog, unboxed } from '../../support/boxes.ts';
import type { TerminalSession } from '../../support/terminal.ts';
import { cancelButton, hint } from '../../support/texts.ts';
import { bodyOf, hintsOf, messageOf, waitForCursor, waitForFrame } from '../support.ts';

/** Whether a dialog whose title starts with this is shown. */
export const dialogIs =
  (title: string) =>
  (session: TerminalSession): boolean =>
    hasDialog(bodyOf(session), title);

/** Returns what the dialog says, as one line. */
export const dialogText = (session: TerminalSession): string =>
  unboxed(bodyOf(session)).join(' ').replaceAll(/\s+/gu, ' ');

/** Filters the list to one row and waits for the cursor on it. */
export async function findRow(terminal: TerminalSession, name: string): Promise<void> {
  terminal.press('/');
  await terminal.waitFor((session) => hintsOf(session).includes(hint('promptAccept')));
  terminal.press('ctrl-u');
  terminal.type(name);
  terminal.press('enter');
  await terminal.waitFor('Esc clears');
  await waitForCursor(terminal, name);
}

/** Sends keys until they have an effect: a new dialog ignores keys for a moment. */
export async function repeatUntil(
  terminal: TerminalSession,
  send: () => void,
  isDone: (session: TerminalSession) => boolean,
  timeoutMs = 2_000,
): Promise<void> {
  for (let attempt = 1; attempt < 10; attempt += 1) {
    send();
    try {
      await terminal.waitFor(isDone, { timeoutMs });
      return;
    } catch {
      // Try again.
    }
  }
  send();
  await terminal.waitFor(isDone);
}

/** Types the name of a confirmation, until it is shown. */
export const typeName = async (terminal: TerminalSession, name: string): Promise<void> =>
  repeatUntil(
    terminal,
    () => {
      terminal.press('ctrl-u');
      terminal.type(name);
    },
    (session) =>
      unboxed(bodyOf(session)).some((line) => line.startsWith('  Type ') && line.trimEnd().endsWith(`: ${name}`)),
    300,
  );

/** Confirms the typed name; an Enter that comes together with other keys does not. */
export const acceptName = async (terminal: TerminalSession): Promise<void> =>
  repeatUntil(
    terminal,
    () => {
      terminal.press('enter');
    },
    (session) => !unboxed(bodyOf(session)).some((line) => line.startsWith('  Type ')),
    1_000,
  );

/** Answers a confirmation with yes as soon as it accepts keys. */
export async function answerYes(terminal: TerminalSession): Promise<void> {
  await repeatUntil(
    terminal,
    () => {
      terminal.press('y');
    },
    (session) => !session.text().includes(cancelButton),
    300,
  );
}

/** Whether the screen shows the outcome, in a dialog or in the status line. */
const hasEnded =
  (outcome: string) =>
  (session: TerminalSession): boolean =>
    dialogIs(outcome)(session) ||
    (outcome === 'Done' && messageOf(session) !== '' && !session.text().includes(cancelButton));

async function endAction(terminal: TerminalSession, outcome: string): Promise<void> {
  await terminal.waitFor(hasEnded(outcome));
  if (!dialogIs(outcome)(terminal)) return;
  terminal.press('enter');
  await terminal.waitFor((session) => !dialogIs(outcome)(session));
}

/** Answers a question with yes, waits for what came of it, and closes that. */
export async function confirm(terminal: TerminalSession, question: string, outcome = 'Done'): Promise<void> {
  await terminal.waitFor(dialogIs(question));
  await terminal.waitFor((session) => session.text().includes(cancelButton));
  await answerYes(terminal);
  await endAction(terminal, outcome);
}

/** Types a name that is asked for, waits for what came of it, and closes that. */
export async function confirmByName(
  terminal: TerminalSession,
  question: string,
  name: string,
  outcome = 'Done',
): Promise<void> {
  await terminal.waitFor(dialogIs(question));
  await typeName(terminal, name);
  await acceptName(terminal);
  await endAction(terminal, outcome);
}

/** Waits until a form accepts text. */
export async function beginForm(terminal: TerminalSession, title: string): Promise<void> {
  await terminal.waitFor(dialogIs(title));
  await repeatUntil(
    terminal,
    () => {
      terminal.type('x');
    },
    (session) => unboxed(bodyOf(session)).some((line) => /^▸ .*[x*]/.test(line)),
  );
}

/** Fills in the fields of a form, each cleared first. */
export async function fillForm(terminal: TerminalSession, title: string, texts: readonly string[]): Promise<void> {
  await beginForm(terminal, title);
  for (const [index, text] of texts.entries()) {
    if (texts.length > 1) await terminal.waitFor(`${index + 1} of ${texts.length}`);
    terminal.press('ctrl-u');
    terminal.type(text);
    terminal.press('enter');
  }
}

/** Steps through the choices of the active field until this one is shown. */
export async function chooseInForm(terminal: TerminalSession, field: string, choice: string): Promise<void> {
  const chosen = (session: TerminalSession): string | undefined =>
    unboxed(bodyOf(session))
      .find((line) => line.startsWith(`▸ ${field} `))
      ?.match(/‹ (\S+) ›/)?.[1];
  await terminal.waitFor((session) => chosen(session) !== undefined);
  while (chosen(terminal) !== choice) {
    const before = chosen(terminal);
    terminal.press('right');
    await terminal.waitFor((session) => chosen(session) !== before && chosen(session) !== undefined);
  }
}

/** Waits for an outcome with this text and closes it, unless the status line says it. */
export async function showOutcome(terminal: TerminalSession, text: string): Promise<void> {
  await terminal.waitFor(
    (session) =>
      messageOf(session).startsWith(text) ||
      (dialogText(session).includes(text) && session.text().includes('Enter/Esc Close')),
  );
  if (!terminal.text().includes('Enter/Esc Close')) return;
  terminal.press('enter');
  await waitForFrame(terminal, (session) => !session.text().includes('Enter/Esc Close'));
}

/** Waits for a confirmation with this text. */
export async function showQuestion(terminal: TerminalSession, text: string): Promise<void> {
  await terminal.waitFor((session) => dialogText(session).includes(text) && session.text().includes(cancelButton));
}
