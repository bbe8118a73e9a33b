import { runContext } from '../../../src/cli/commands/context.ts';
import { UsageError } from '../../../src/cli/errors.ts';
import type { ContextAction } from '../../../src/cli/options/commands.ts';

/** Runs `context` on a configuration, without a cluster, and returns what it prints. */
export async function printContext(
  file: string,
  action: ContextAction,
  name?: string,
  flags: Parameters<typeof runContext>[0]['flags'] = {},
): Promise<string> {
  let printed = '';
  await runContext(
    { action, name, flags, file, openSession: () => Promise.reject(new UsageError('not opened')) },
    {
      stdout: {
        write: (more) => {
          printed += more;
        },
      },
    },
  );
  return printed;
}
