import { BadAnswerError } from '../../api/errors.ts';
import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { Alarm } from '../../domain/administration.ts';
import { readPages } from '../../monitor/polling/pages.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { selectNodes } from '../nodes/select.ts';
import { offered } from '../offered.ts';
import { listOwnAlarms } from '../own-answers.ts';

/** Reads the alarms of the cluster, or of the nodes that can be asked. @throws ApiError; NotAvailableError where the API has no alarms */
export async function readAlarms(
  api: ReadingApi,
  state: MonitorState,
  options: CallOptions,
): Promise<readonly Alarm[]> {
  offered(api, 'listAlarms', 'alarms');
  const node =
    selectNodes(state).find(({ status }) => status === 'running')?.name ?? (await api.listNodes(options))[0]?.name;
  if (node === undefined) throw new BadAnswerError('a list of nodes without a node');
  return listOwnAlarms(api, node, options);
}

/** Active alarms. */
export const alarms = defineResource<readonly Alarm[]>({
  name: 'alarms',
  source: 'alarms',
  every: 'fifthTick',
  open:
    ({ api, state }) =>
    ({ signal }) =>
      readAlarms(api, state(), { signal }),
});

/** Reads the ended alarms, newest first. @throws ApiError; NotAvailableError where the API has no such list */
export async function readEndedAlarms(api: ReadingApi, options: CallOptions): Promise<readonly Alarm[]> {
  const list = offered(api, 'listEndedAlarms', 'ended alarms');
  return readPages((page) => list(page, options));
}

/** Ended alarms, newest first. */
export const endedAlarms = defineResource<readonly Alarm[]>({
  name: 'endedAlarms',
  source: 'alarm history',
  every: 'fifthTick',
  read: readEndedAlarms,
});
