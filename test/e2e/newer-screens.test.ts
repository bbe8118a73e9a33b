import { expect, test } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';
import { answerYes, dialogIs } from './actions/dialogs.ts';
import { bodyOf, closeTerminalsAtEnd, messageOf, open } from './support.ts';

closeTerminalsAtEnd();

const patient = { timeoutMs: 90_000 };

/** The title of the list begins with the same words. */
const isMessageShown = dialogIs(`Retained message `);

test(
  'slow subscriptions, retained messages, top talkers and queued messages over API v5',
  { timeout: 300_000 },
  async () => {
    const args = [
      builtProgram,
      'demo',
      '--api',
      'v5',
      '--scenario',
      'slow-consumer',
      '--clients',
      '40',
      '--interval',
      '1',
      '--no-audit',
    ];
    const terminal = open({ command: process.execPath, args, cols: 160, rows: 40 });
    await terminal.waitFor('3/3 nodes');
    terminal.press('E');
    await terminal.waitFor((session) => /sensor-\d+\/state/u.test(session.text()), patient);
    terminal.press('enter');
    await terminal.waitFor(
      (session) => session.text().includes('topic') && session.text().includes('"value"') && isMessageShown(session),
      patient,
    );
    terminal.press('esc');
    await terminal.waitFor((session) => !isMessageShown(session));
    // Each sensor publishes again and again: the message may be another one by then.
    for (let tries = 1; ; tries += 1) {
      terminal.press('D');
      await terminal.waitFor(dialogIs('Delete this retained message?'));
      await answerYes(terminal);
      await terminal.waitFor(
        (session) => messageOf(session).startsWith('Deleted') || session.text().includes('Enter/Esc Close'),
        patient,
      );
      if (messageOf(terminal).startsWith('Deleted')) break;
      terminal.press('enter');
      await terminal.waitFor((session) => !session.text().includes('Enter/Esc Close'));
      expect(tries).toBeLessThan(5);
      terminal.press('ctrl-r');
    }
    terminal.press('Z');
    await terminal.waitFor(
      (session) => bodyOf(session)[0]?.includes('Messages that take longer than 500 ms to arrive') === true,
      patient,
    );
    terminal.press('F');
    await terminal.waitFor((session) => /worker-\d+ .* \d[\d.]*\/s/u.test(session.text()), patient);
    terminal.press('5');
    await terminal.waitFor((session) => /▸worker-\d/u.test(session.text()), patient);
    terminal.press('enter');
    await terminal.waitFor(
      (session) => bodyOf(session)[0]?.startsWith(' Client worker-') === true && session.text().includes('Trends'),
    );
    terminal.press('M');
    await terminal.waitFor(
      (session) =>
        bodyOf(session)[0]?.includes(`Queued messages for worker-`) === true && session.text().includes('"value"'),
      patient,
    );
    terminal.press('v');
    await terminal.waitFor(
      (session) =>
        bodyOf(session)[0]?.includes(`Inflight messages for worker-`) === true && session.text().includes('"value"'),
      patient,
    );
  },
);
