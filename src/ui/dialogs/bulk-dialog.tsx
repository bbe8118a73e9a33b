import { useMemo, useState, type ReactNode } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { type BulkTarget, defaultPerSecond, paces, previewBulk } from '../../actions/bulk.ts';
import { clientIdOf } from '../../actions/targets.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { createConnectionJoin } from '../../monitor/scan/session-connection.ts';
import { unknownRates } from '../../monitor/history/session-rates.ts';
import type { MonitorState, ScanState } from '../../monitor/state.ts';
import type { Client } from '../../domain/client.ts';
import { useKeys } from '../keys/use-keys.ts';
import { useWatch } from '../hooks/use-resource.ts';
import { useTop } from '../hooks/use-scroll.ts';
import { useStore } from '../hooks/use-store.ts';
import { safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { Rows } from '../components/rows.tsx';
import type { BulkDisconnectRequest } from './ask.ts';
import { bulkPreviewLines, bulkProgressLines, markedLines } from './bulk-lines.ts';
import { typedNameLines, useTypedName } from './typed-name.ts';

export interface BulkPreviewDialogProps {
  readonly monitor: ActingMonitor;
  readonly request: BulkDisconnectRequest;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  /** With how many are to begin in a second. */
  readonly onConfirm: (perSecond: number) => void;
  readonly onCancel: () => void;
}

/** The user of each: a session does not tell it, so the list of clients has to be read first. */
const usersOf = (targets: readonly BulkTarget[], { rows, finishedAtMs }: ScanState<Client>): readonly (string | undefined)[] | undefined => {
  if (targets.every(({ kind }) => kind === 'client')) {
    return targets.map((target) => (target.kind === 'client' ? target.client.username : undefined));
  }
  if (finishedAtMs === undefined) {
    return undefined;
  }
  const byId = new Map(rows.map(({ clientId, username }) => [clientId, username]));
  return targets.map((target) => (target.kind === 'client' ? target.client.username : byId.get(target.session.clientId)));
};

const selectNodes = ({ resources }: MonitorState): MonitorState['resources']['nodes'] => resources.nodes;
const selectClients = ({ clientScan }: MonitorState): MonitorState['clientScan'] => clientScan;

/** What disconnecting the marked ones would hit, and how fast; their number has to be typed. */
export const BulkPreviewDialog = ({ monitor, request, width, height, onConfirm, onCancel }: BulkPreviewDialogProps): ReactNode => {
  const theme = useTheme();
  const { targets, changedCount, shownCount } = request;
  const { top, onScroll: scrolling } = useTop();
  const hasSessions = targets.some(({ kind }) => kind === 'session');
  useWatch(monitor, hasSessions ? { kind: 'clientScan' } : undefined);
  // For their clocks, which tell what is older than the reading of the clients.
  useWatch(monitor, hasSessions ? { kind: 'resource', name: 'nodes' } : undefined);
  const clients = useStore(monitor.store, selectClients);
  const preview = useMemo(() => previewBulk(targets, usersOf(targets, clients)), [targets, clients]);
  const [join] = useState(createConnectionJoin);
  const sessions = useMemo(() => targets.flatMap((target) => (target.kind === 'session' ? [{ session: target.session, rates: unknownRates }] : [])), [targets]);
  const nodes = useStore(monitor.store, selectNodes);
  const listed = join(sessions, clients, nodes);
  const absentIds = useMemo(() => new Set(listed.filter(({ isConnected }) => isConnected === false).map(({ session }) => session.clientId)), [listed]);
  const [perSecond, setPerSecond] = useState(defaultPerSecond);
  const wanted = String(targets.length);
  const ids = useMemo(() => targets.map((target) => clientIdOf(target)).toSorted(compareNatural), [targets]);
  const names = useMemo(() => markedLines(theme, width, ids), [theme, width, ids]);
  const onScroll = scrolling(() => view);
  const typed = useTypedName({ wanted, onConfirm: () => { onConfirm(perSecond); }, onCancel, onScroll, isActive: true });
  useKeys('bulkPreview', {
    paceUp: () => { setPerSecond((old) => paces.find((pace) => pace > old) ?? old); },
    paceDown: () => { setPerSecond((old) => paces.findLast((pace) => pace < old) ?? old); },
  });
  const answer = typedNameLines(theme, width, wanted, safe`disconnect them`, typed);
  const view = bulkPreviewLines(theme, width, height, { preview, perSecond, changedCount, shownCount, names, absentIds }, answer, top);
  return <Rows lines={view.lines} />;
};

export interface BulkProgressDialogProps {
  readonly monitor: ActingMonitor;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly onClose: () => void;
  /** What `q` does as long as it runs. */
  readonly onQuit: () => void;
}

const selectBulk = ({ bulk }: MonitorState): MonitorState['bulk'] => bulk;

/** A bulk that runs, and then its four counts, until it is closed. Left while it runs, it goes on. */
export const BulkProgressDialog = ({ monitor, width, height, onClose, onQuit }: BulkProgressDialogProps): ReactNode => {
  const theme = useTheme();
  const progress = useStore(monitor.store, selectBulk);
  const isFinished = progress?.phase === 'finished';
  useKeys('bulk', { bulkAbort: () => { monitor.abortBulk(); }, bulkLeave: onClose, bulkQuit: onQuit }, { isActive: !isFinished });
  useKeys('outcome', { outcomeClose: onClose }, { isActive: isFinished });
  return progress === undefined ? undefined : <Rows lines={bulkProgressLines(theme, width, height, progress)} />;
};
