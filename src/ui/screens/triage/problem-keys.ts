import type { WatchedMonitor } from '../../../actions/acting-monitor.ts';
import type { Finding } from '../../../triage/check.ts';
import { useOpenDialog } from '../../dialogs/open-dialog.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { useAcknowledge } from './acknowledge.ts';

/** What can be done about the selected problem: acknowledge it, and disconnect its client, which is read first. */
export const useProblemKeys = (monitor: WatchedMonitor, finding: Finding | undefined, notify: Parameters<typeof useAcknowledge>[2]): void => {
  const openDialog = useOpenDialog();
  useAcknowledge(monitor, finding, notify);
  const clientId = finding?.target.kind === 'session' ? finding.target.clientId : undefined;
  useKeys('row', {
    disconnect: clientId === undefined ? undefined : () => { openDialog({ kind: 'read-client', clientId, node: undefined, purpose: 'disconnect' }); },
  });
};
