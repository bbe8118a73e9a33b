import { cutMark, escapeText } from '../../terminal/safe-text.ts';
import type { BegunProblem } from '../../triage/triaged-monitor.ts';
import { alertTexts } from '../texts.ts';
import type { ProblemCommands } from './problem-commands.ts';

export interface AlertConfig {
  readonly hasBell: boolean;
  readonly hasNotification: boolean;
  /** Run by a shell; gets the problem in its environment. */
  readonly command: string | undefined;
}

export interface AlertOptions extends AlertConfig {
  readonly context: string | undefined;
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  readonly commands: ProblemCommands;
  /** Writes to the terminal. */
  readonly write: (codes: string) => void;
  readonly onFailure: (text: string) => void;
}

const maxTextLength = 200;

/** Reports new critical problems: by the bell, a notification of the terminal, or a command. */
export function createAlerts({
  hasBell,
  hasNotification,
  command,
  context,
  url,
  env,
  commands,
  write,
  onFailure,
}: AlertOptions): (problem: BegunProblem) => void {
  return (problem) => {
    if (problem.severity !== 'critical') return;
    if (hasBell) write('\u0007');
    if (hasNotification) write(notificationCode(alertTexts.notification(context ?? url, problem.title), env));
    if (command === undefined) return;
    const texts = {
      BROKERTOP_CONTEXT: context ?? '',
      BROKERTOP_URL: url,
      BROKERTOP_CHECK: problem.check,
      BROKERTOP_PROBLEM: problem.title,
      BROKERTOP_EVIDENCE: problem.evidence,
    };
    commands.run({
      command,
      env: {
        ...env,
        ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, environmentText(text)])),
      },
      onFailure,
    });
  };
}

/**
 * Returns the control sequence of a notification: OSC 99 for kitty, OSC 777 for rxvt, else OSC 9, which iTerm2,
 * WezTerm, Windows Terminal and others know.
 */
export function notificationCode(text: string, { TERM = '' }: NodeJS.ProcessEnv): string {
  const shown = escapeText(text.slice(0, maxTextLength)).replaceAll(';', ',');
  if (TERM.includes('kitty')) return `\u001B]99;;${shown}\u001B\\`;
  return TERM.includes('rxvt') ? `\u001B]777;notify;brokertop;${shown}\u001B\\` : `\u001B]9;${shown}\u001B\\`;
}

/** Limits a variable, well below the 128 KiB that Linux takes. */
const maxEnvironmentLength = 8_192;

/** Makes a text the value of a variable, which ends at U+0000: escaped, and cut in the middle if it is too long. */
function environmentText(text: string): string {
  const half = maxEnvironmentLength / 2;
  const short = text.length <= maxEnvironmentLength ? text : `${text.slice(0, half)}${cutMark}${text.slice(-half)}`;
  return short.replaceAll('\0', String.raw`\x00`);
}
