import { spawn } from 'node:child_process';
import { escapeText } from '../../terminal/safe-text.ts';
import type { BegunProblem } from '../../ui/hooks/use-problem-log.ts';
import { alertTexts } from '../texts.ts';

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
  /** To the terminal. */
  readonly write: (codes: string) => void;
  readonly onFailure: (text: string) => void;
}

/** The command is killed after this time. */
const maxCommandMs = 30_000;
const maxTextLength = 200;

/** Tells of new critical problems: by the bell, a notification of the terminal, or a command. */
export function createAlerts({ hasBell, hasNotification, command, context, url, env, write, onFailure }: AlertOptions): (problem: BegunProblem) => void {
  return (problem) => {
    if (problem.severity !== 'critical') return;
    if (hasBell) write('\u0007');
    if (hasNotification) write(notificationCode(alertTexts.notification(context ?? url, problem.title), env));
    if (command !== undefined) run(command, { ...env, BROKERTOP_CONTEXT: context ?? '', BROKERTOP_URL: url, BROKERTOP_CHECK: problem.check, BROKERTOP_PROBLEM: problem.title, BROKERTOP_EVIDENCE: problem.evidence }, onFailure);
  };
}

/** The control sequence of a notification: OSC 99 for kitty, OSC 777 for rxvt, else OSC 9, which iTerm2, WezTerm, Windows Terminal and others know. */
export function notificationCode(text: string, { TERM = '' }: NodeJS.ProcessEnv): string {
  const shown = escapeText(text.slice(0, maxTextLength)).replaceAll(';', ',');
  if (TERM.includes('kitty')) return `\u001B]99;;${shown}\u001B\\`;
  return TERM.includes('rxvt') ? `\u001B]777;notify;brokertop;${shown}\u001B\\` : `\u001B]9;${shown}\u001B\\`;
}

/** Without the terminal, which the screen has. */
function run(command: string, env: NodeJS.ProcessEnv, onFailure: (text: string) => void): void {
  const child = spawn(command, { shell: true, stdio: 'ignore', env, timeout: maxCommandMs, killSignal: 'SIGKILL' });
  child.once('error', (error) => { onFailure(alertTexts.commandFailed(error.message)); });
  child.once('exit', (code, signal) => {
    if (code !== 0) onFailure(alertTexts.commandFailed(signal === null ? alertTexts.exitCode(code ?? 0) : signal));
  });
  child.unref();
}
