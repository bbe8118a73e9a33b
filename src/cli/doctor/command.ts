import { safeLines } from '../errors.ts';
import type { FlagValues } from '../options/flags.ts';
import { doctorText, examine } from './doctor.ts';
import { type ProbedInput, probeTerminal } from './terminal-probe.ts';

export interface DoctorProcess {
  readonly stdin: NodeJS.ReadStream & ProbedInput;
  readonly stdout: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs `doctor`. Returns the exit code: 1 if something is wrong. */
export async function runDoctor(flags: FlagValues, { stdin, stdout, env }: DoctorProcess): Promise<number> {
  const hasTerminal = stdin.isTTY && stdout.isTTY;
  const terminal = hasTerminal
    ? { columns: stdout.columns, rows: stdout.rows, probe: await probeTerminal(stdin, stdout) }
    : undefined;
  const sections = await examine({ flags, environment: env, terminal });
  stdout.write(`${safeLines(doctorText(sections))}\n`);
  return sections.some(({ lines }) => lines.some(({ isWrong }) => isWrong === true)) ? 1 : 0;
}
