import { useCallback, useSyncExternalStore } from 'react';
import { useTheme } from '../tui/components/drawing.tsx';
import type { Notify } from '../tui/screen.ts';
import type { RecordingView } from './session-view.ts';
import { answerTexts } from './command-texts.ts';

const never = (): (() => void) => () => {};

/** Starts and stops the recording of the cluster, and says what became of it. */
export function useRecording(
  recording: RecordingView | undefined,
  notify: Notify,
): { readonly isRecording: boolean; readonly toggle: () => void } {
  const theme = useTheme();
  const isRecording = useSyncExternalStore(
    recording?.status.subscribe ?? never,
    () => recording !== undefined && recording.status.getState().kind !== 'off',
  );
  const toggle = useCallback(() => {
    if (recording === undefined) return;
    const { status, start, stop } = recording;
    const isStarting = status.getState().kind === 'off';
    (isStarting ? start() : stop()).then(
      () => {
        const now = status.getState();
        if (!isStarting) notify(answerTexts.recordingStopped);
        else if (now.kind !== 'off') notify(answerTexts.recording(theme.escape(now.folder)));
      },
      (error: unknown) => {
        notify(theme.escape(error instanceof Error ? error.message : String(error)), 'warning');
      },
    );
  }, [recording, notify, theme]);
  return { isRecording, toggle };
}
