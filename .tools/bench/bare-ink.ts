import path from 'node:path';
import type { TerminalOptions, TerminalSession } from '../../test/support/terminal.ts';

/** The bare program of `bare-ink-process.ts`. */
export const bareProgram = (url: string): Pick<TerminalOptions, 'command' | 'args' | 'env'> => ({
  command: process.execPath,
  args: [path.join(import.meta.dirname, 'bare-ink-process.ts'), JSON.stringify({ url })],
  env: { NODE_ENV: 'production' },
});

/** Whether it shows rows of the server's clients. */
export const hasBareRows = (terminal: TerminalSession): boolean => terminal.text().includes('dashboard-');
