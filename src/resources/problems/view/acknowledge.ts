import { createContext, use } from 'react';
import type { FormRequest } from '../../../actions/requests.ts';
import { steadyNowMs } from '../../../monitor/clock.ts';
import { escapeText, safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { problemParts } from '../../../checks/words.ts';
import type { Finding } from '../../../triage/problem.ts';
import { useTheme } from '../../../tui/components/drawing.tsx';
import { useOpenDialog } from '../../../tui/hooks/open-dialog.ts';
import { useKeys } from '../../../tui/keys/use-keys.ts';
import { sentenceText } from '../../../terminal/sentence-text.ts';
import type { TriagedMonitor } from '../../../triage/triaged-monitor.ts';
import { acknowledgeTexts } from './texts.ts';

const acknowledgeRequest = (theme: Theme, finding: Finding, onDone: (note: string) => void): FormRequest => ({
  kind: 'form',
  isLocal: true,
  title: acknowledgeTexts.title,
  verb: acknowledgeTexts.verb,
  fields: [{ id: 'note', label: acknowledgeTexts.note, help: acknowledgeTexts.help }],
  notes: [sentenceText(theme, problemParts(finding).title, 200)],
  build: ({ note = '' }) => ({
    done: () => {
      onDone(note.trim());
    },
  }),
});

/** Marks a problem; `undefined` where nobody can. */
export const AcknowledgeContext = createContext<TriagedMonitor['acknowledge'] | undefined>(undefined);

/** Acknowledges the selected problem, or takes that back. Changes nothing on the broker. */
export const useAcknowledge = (finding: Finding | undefined, notify: (text: SafeText) => void): void => {
  const theme = useTheme();
  const openDialog = useOpenDialog();
  const acknowledge = use(AcknowledgeContext);
  const toggle =
    finding === undefined || acknowledge === undefined
      ? undefined
      : (): void => {
          const { key, check, severity, members = [key] } = finding;
          if (finding.acknowledged !== undefined) {
            for (const member of members) acknowledge(member, undefined);
            notify(acknowledgeTexts.takenBack);
            return;
          }
          openDialog(
            acknowledgeRequest(theme, finding, (note) => {
              for (const member of members) acknowledge(member, { note, check, severity, atMs: steadyNowMs() });
              notify(acknowledgeTexts.acknowledged(note === '' ? safe`` : escapeText(note)));
            }),
          );
        };
  useKeys('findings', { acknowledge: toggle });
};
