import { useMemo, type ReactNode } from 'react';
import { type Bulk, previewBulk } from '../../store/actions/bulk.ts';
import type { Monitor, MonitorState } from '../../store/state.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { useStore } from '../hooks/use-store.ts';
import { safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { Rows } from '../widgets/rows.tsx';
import type { BulkDisconnectRequest } from './ask.ts';
import { bulkPreviewLines, bulkProgressLines } from './bulk-lines.ts';
import { typedNameLines, useTypedName } from './typed-name.ts';

export interface BulkPreviewDialogProps {
  readonly request: BulkDisconnectRequest;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** What disconnecting the marked ones would hit; their number has to be typed. */
export const BulkPreviewDialog = ({ request, width, height, onConfirm, onCancel }: BulkPreviewDialogProps): ReactNode => {
  const theme = useTheme();
  const preview = useMemo(() => previewBulk(request.clients), [request]);
  const wanted = String(request.clients.length);
  const typed = useTypedName({ wanted, onConfirm, onCancel, onScroll: () => {}, isActive: true });
  const answer = typedNameLines(theme, width, wanted, safe`disconnect them`, typed);
  return <Rows lines={bulkPreviewLines(theme, width, height, preview, request.changedCount, answer)} />;
};

export interface BulkProgressDialogProps {
  readonly monitor: Monitor;
  readonly bulk: Bulk;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly onClose: () => void;
}

const selectBulk = ({ bulk }: MonitorState): MonitorState['bulk'] => bulk;

/** A bulk that runs, and then its four counts, until it is closed. */
export const BulkProgressDialog = ({ monitor, bulk, width, height, onClose }: BulkProgressDialogProps): ReactNode => {
  const theme = useTheme();
  const progress = useStore(monitor.store, selectBulk);
  const isFinished = progress?.phase === 'finished';
  useKeys('bulk', { bulkAbort: () => { bulk.abort(); } }, { isActive: !isFinished });
  useKeys('outcome', { outcomeClose: onClose }, { isActive: isFinished });
  return progress === undefined ? undefined : <Rows lines={bulkProgressLines(theme, width, height, progress)} />;
};
