import type { ConfirmRequest, DialogRequest } from '../../actions/requests.ts';
import { type ReactNode, useCallback } from 'react';
import type { ActingState, ActionRecord, WatchedMonitor } from '../../actions/acting-monitor.ts';
import type { Action, ActionResult, Disclosure, DisclosureWords, Outcome } from '../../actions/action.ts';
import { countUrls, type Described, describeResult, describeUrl, isSuccess } from '../../actions/describe.ts';
import { outcomeTexts } from '../../actions/texts.ts';
import { formatCount } from '../../terminal/format.ts';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { escapeText, safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { titleLine } from '../components/blocks.ts';
import { type Button, buttonsLine, closeButtons, DialogBox, fitDialog } from '../components/dialog-box.tsx';
import { useTheme } from '../components/drawing.tsx';
import { useStore } from '../hooks/use-store.ts';
import { useKeys } from '../keys/use-keys.ts';
import { outcomeDialogTexts } from './texts.ts';

const roles: Readonly<Record<Outcome, Role>> = { done: 'ok', accepted: 'ok', 'not-done': 'error', unknown: 'warning' };

/** Limits the columns of a text: an id may have 65,535 characters. */
const maxColumns = 4_000;

const shownOfWord = 60;
const longWord = new RegExp(`\\S{${4 * shownOfWord},}`, 'gu');

const shorten = (raw: string): string =>
  raw.replaceAll(longWord, (found, at: number) => {
    // The sentence's full stop is not part of the word.
    const stop = at + found.length === raw.length && found.endsWith('.') ? '.' : '';
    const word = found.slice(0, found.length - stop.length);
    return `${word.slice(0, shownOfWord)} (${formatCount(word.length)} characters) ${word.slice(-shownOfWord)}${stop}`;
  });

const write = (theme: Theme, width: number, raw: string, role: Role): readonly Line[] =>
  wrapWords(cutText(theme.escape(shorten(raw), maxColumns), maxColumns), Math.max(2, width - 4)).map((text) =>
    composeLine(theme, width, [{ text: safe`  ` }, { text, role }]),
  );

/** @param summary the text above, which is not repeated */
const partLine = (theme: Theme, width: number, part: ActionResult['parts'][number], summary: string): Line => {
  const [word, role] =
    part.wasAlready === true
      ? [outcomeTexts.unchanged, 'normal' as const]
      : [outcomeTexts.words[part.outcome], roles[part.outcome]];
  const why = part.text === undefined || summary.includes(part.text) ? undefined : part.text;
  return composeLine(theme, width, [
    { text: safe`  ` },
    { text: part.node === undefined ? safe`` : safe`${theme.escape(part.node, width)}: ` },
    { text: escapeText(word), role },
    { text: why === undefined ? safe`` : safe`  ${theme.escape(why, width)}`, role: 'dim' },
  ]);
};

/** Whether the line of a part would say nothing more. */
const isAsSummary = (part: ActionResult['parts'][number], { outcome }: ActionResult, summary: string): boolean =>
  part.outcome === outcome && part.wasAlready !== true && (part.text === undefined || summary.includes(part.text));

const leaveButtons: readonly Button[] = [{ id: 'runningClose', keys: safe`Esc`, label: outcomeDialogTexts.leave }];

const headingOf = (action: Described, result: ActionResult | undefined): readonly [SafeText, Role] => {
  if (result === undefined) return [outcomeDialogTexts.running, 'title'];
  return action.isQuestion === true && result.outcome === 'done'
    ? [outcomeDialogTexts.answered, 'title']
    : [escapeText(outcomeTexts.words[result.outcome]), roles[result.outcome]];
};

const finishedButtons = (offer: ConfirmRequest['offer']): readonly Button[] => [
  ...(offer === undefined ? [] : [{ id: 'outcomeOffer', keys: safe`K`, label: offer.label } as const]),
  ...closeButtons('outcomeClose'),
];

const savedButtons = ({ saved }: DisclosureWords): readonly Button[] => [
  { id: 'secretClose', keys: safe`y`, label: saved },
];

/** Draws a secret in full: it cannot be read again. */
const secretLines = (
  theme: Theme,
  width: number,
  words: DisclosureWords,
  { key, secret }: NonNullable<Disclosure['value']>,
): readonly Line[] => [
  ...[[words.key, key] as const, [words.secret, secret.reveal()] as const].flatMap(([label, raw]) => [
    composeLine(theme, width, [{ text: safe`  ${label}`, role: 'dim' }]),
    ...wrapWords(theme.escape(raw), Math.max(2, width - 4)).map((text) =>
      composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'title' }]),
    ),
  ]),
  ...wrapWords(safe`! ${words.onlyNow}`, Math.max(2, width - 4)).map((text) =>
    composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'warning' }]),
  ),
];

export const outcomeLines = (
  theme: Theme,
  width: number,
  height: number,
  action: Described & Pick<Action, 'disclosure'>,
  record: Pick<ActionRecord, 'phase' | 'phaseUrl' | 'result' | 'followUp' | 'isFollowed'> | undefined,
  offer?: ConfirmRequest['offer'],
): readonly Line[] => {
  const result = record?.result;
  if (result === undefined) {
    const body = write(theme, width, action.title, 'title');
    const where = record?.phaseUrl === undefined ? safe`` : safe`${theme.escape(record.phaseUrl, width)}: `;
    const foot = [
      composeLine(theme, width, [
        { text: safe`  ··· ${where}${outcomeDialogTexts.phases[record?.phase ?? 'checking']}`, role: 'dim' },
      ]),
      buttonsLine(theme, width, action.disclosure === undefined ? leaveButtons : []),
    ];
    return [
      titleLine(theme, width, outcomeDialogTexts.running),
      ...body.slice(0, Math.max(0, height - 1 - foot.length)),
      ...foot,
    ].slice(-height);
  }
  const [word, role] = headingOf(action, result);
  const isEach = action.each !== undefined;
  const summary = isEach ? `${action.title}. ${countUrls(result.parts)}` : describeResult(action, result);
  const parts = isEach
    ? result.parts.flatMap((part) => write(theme, width, describeUrl(part), roles[part.outcome]))
    : result.parts.length > 1 && !result.parts.every((part) => isAsSummary(part, result, summary))
      ? result.parts.map((part) => partLine(theme, width, part, summary))
      : [];
  const followUp = record?.followUp === undefined ? [] : write(theme, width, record.followUp, 'normal');
  const watching =
    record?.isFollowed === true
      ? [composeLine(theme, width, [{ text: safe`  ··· ${outcomeDialogTexts.following}`, role: 'dim' }])]
      : [];
  const { words, value: disclosed } = action.disclosure ?? {};
  const body = [
    ...(words === undefined || disclosed === undefined ? [] : secretLines(theme, width, words, disclosed)),
    ...write(theme, width, summary, role),
    ...parts,
    ...followUp,
  ];
  const room = Math.max(1, height - 2 - watching.length);
  const isCut = body.length > room;
  return [
    titleLine(theme, width, word),
    ...(isCut ? body.slice(0, room - 1) : body),
    ...(isCut
      ? [composeLine(theme, width, [{ text: safe`  ${outcomeDialogTexts.more(body.length - room + 1)}`, role: 'dim' }])]
      : []),
    ...watching,
    buttonsLine(
      theme,
      width,
      words === undefined || disclosed === undefined ? finishedButtons(offer) : savedButtons(words),
    ),
  ].slice(0, height);
};

export interface OutcomeDialogProps {
  readonly monitor: WatchedMonitor;
  readonly action: Action;
  readonly offer: ConfirmRequest['offer'];
  readonly afterKey: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly onOffer: (request: DialogRequest) => void;
  readonly onClose: () => void;
  readonly onQuit: () => void;
}

export const OutcomeDialog = ({
  monitor,
  action,
  offer,
  afterKey,
  width,
  height,
  onOffer,
  onClose,
  onQuit,
}: OutcomeDialogProps): ReactNode => {
  const theme = useTheme();
  const record = useStore(
    monitor.store,
    useCallback(
      ({ actions }: ActingState) => actions[actions.findIndex(({ key }) => key === afterKey) + 1],
      [afterKey],
    ),
  );
  const isFinished = record?.result !== undefined;
  // Closing it would lose the secret.
  const { disclosure } = action;
  const isSecretShown = isFinished && disclosure?.value !== undefined;
  useKeys(
    'running',
    { runningClose: disclosure === undefined ? onClose : undefined, runningQuit: onQuit },
    { isActive: !isFinished },
  );
  const offered = record?.result !== undefined && isSuccess(record.result) ? offer : undefined;
  useKeys(
    'outcome',
    {
      outcomeClose: onClose,
      outcomeOffer:
        offered === undefined
          ? undefined
          : () => {
              onOffer(offered.request);
            },
    },
    { isActive: isFinished && !isSecretShown },
  );
  useKeys('secret', { secretClose: onClose, secretQuit: onQuit }, { isActive: isSecretShown });
  const [title] = headingOf(action, record?.result);
  const dialog = fitDialog({
    theme,
    title,
    width,
    height,
    draw: (inner, lines) => ({ lines: outcomeLines(theme, inner, lines, action, record, offered) }),
  });
  return (
    <DialogBox
      dialog={dialog}
      buttons={
        isSecretShown
          ? savedButtons(disclosure.words)
          : isFinished
            ? finishedButtons(offered)
            : disclosure === undefined
              ? leaveButtons
              : []
      }
      area={{ width, height }}
    />
  );
};
