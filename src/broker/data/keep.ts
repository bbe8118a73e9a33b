import { BrokerError } from '../../api/errors.ts';
import { reasonOf } from './data-error.ts';
import type { Recorder } from './recorder.ts';

/**
 * Makes a change that an operator asked for; resolves once it is on disk. `make` answers with how to undo it;
 * with a promise when it takes more than one turn of the event loop.
 * @throws BrokerError 102 when it cannot be written; then nothing has changed.
 */
export async function keep(recorder: Recorder | undefined, make: () => (() => void) | Promise<() => void>): Promise<void> {
  if (recorder?.failure !== undefined) throw notStored(recorder.failure);
  const before = recorder?.position;
  const undo = await make();
  if (recorder === undefined || recorder.position === before) return;
  const { position } = recorder;
  while (recorder.kept < position) {
    await new Promise<void>((resolve) => { recorder.afterSync(resolve); });
    const { failure } = recorder;
    if (failure === undefined || recorder.kept >= position) continue;
    undo();
    throw notStored(failure);
  }
}

function notStored(cause: Error): BrokerError {
  return new BrokerError('failed', `Nothing was changed: the data folder cannot be written (${reasonOf(cause.cause)}).`, { cause });
}
