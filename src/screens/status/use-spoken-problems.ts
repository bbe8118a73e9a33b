import { useEffect } from 'react';
import type { TriagedMonitor } from '../../triage/triaged-monitor.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useSpeaker } from '../../tui/speech/use-speech.ts';

/** Says what becomes of problems, as the log does. */
export const useSpokenProblems = (monitor: Pick<TriagedMonitor, 'followProblems'>): void => {
  const theme = useTheme();
  const speaker = useSpeaker();
  useEffect(
    () =>
      monitor.followProblems(({ text }) => {
        if (text !== undefined) speaker?.announce(theme.escape(text));
      }),
    [monitor, speaker, theme],
  );
};
