import { BadAnswerError, NotAvailableError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { Alarm } from '../../domain/administration.ts';
import { withThousands } from '../../domain/text.ts';
import type { Journal } from '../journal.ts';
import { selectNodes } from '../select/nodes.ts';
import type { MonitorState, Watched } from '../state.ts';

/** This broker is known to have no list of alarms: there is nothing to ask for. */
export const hasNoAlarms = ({ alarms }: Pick<MonitorState, 'alarms'>): boolean =>
  alarms.error?.kind === 'not-available' || alarms.error?.kind === 'unsupported';

const toWatch: readonly Watched[] = [{ kind: 'alarms' }];
const nothing: readonly Watched[] = [];

/** What to watch for the alarms: nothing where the broker has none, or while no node is known that could be asked. */
export const alarmWatches = (state: MonitorState): readonly Watched[] =>
  (!hasNoAlarms(state) && selectNodes(state).some(({ status }) => status === 'running') ? toWatch : nothing);

/** The alarms, which are the same whichever node is asked. @throws ApiError; NotAvailableError where there is no list of them */
export async function readAlarms(api: ManagementApi, state: MonitorState, signal: AbortSignal): Promise<readonly Alarm[]> {
  if (api.listAlarms === undefined) throw new NotAvailableError('alarms');
  const node = selectNodes(state).find(({ status }) => status === 'running')?.name ?? (await api.listNodes({ signal }))[0]?.name;
  if (node === undefined) throw new BadAnswerError('a list of nodes without a node');
  return api.listAlarms(node, { signal });
}

const maxNoted = 20;

/** Writes the alarms that came and went since the last reading into the log. */
export function createAlarmLog(journal: Journal): (alarms: readonly Alarm[]) => void {
  let known: ReadonlySet<string> = new Set();

  function noteAll(level: 'warning' | 'info', texts: readonly string[], more: string): void {
    for (const text of texts.slice(0, maxNoted)) journal.note(level, text);
    if (texts.length > maxNoted) journal.note(level, `${withThousands(texts.length - maxNoted)} more alarms ${more}.`);
  }

  return (alarms) => {
    const ids = new Set(alarms.map(({ id }) => id));
    const before = known;
    known = ids;
    noteAll('info', [...before].filter((id) => !ids.has(id)).map((id) => `alarm ${id} was cleared.`), 'were cleared');
    noteAll('warning', alarms.filter(({ id }) => !before.has(id)).map(({ id, summary, title }) => `alarm ${id}: ${summary ?? title ?? 'no text'}`), 'are set');
  };
}
