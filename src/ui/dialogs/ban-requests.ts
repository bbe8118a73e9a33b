import { addBan, type BanRequest, liftBan, searchOfBan } from '../../actions/bans.ts';
import { banKindNames } from '../../resources/bans/fields.ts';
import type { Ban, BanKind } from '../../domain/administration.ts';
import type { Client } from '../../domain/client.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { formatEnd, formatText } from '../../terminal/format.ts';
import { escapeText, type SafeText } from '../../terminal/safe-text.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { sessionKnowledge } from './client-requests.ts';
import { durationField, durationLine, readDuration } from './duration-field.ts';
import type { Built, ConfirmRequest, FormField, FormRequest } from './open-dialog.ts';
import { banTexts, dialogTexts } from './texts.ts';

const kinds = Object.entries(banKindNames) as readonly (readonly [BanKind, string])[];

const kindOf = (name: string | undefined): BanKind => kinds.find(([, each]) => each === name)?.[0] ?? 'client-id';

/** Patterns and networks may match every client. */
const isWide = (kind: BanKind): boolean =>
  kind === 'client-id-pattern' || kind === 'username-pattern' || kind === 'network';

const endFields: readonly FormField[] = [
  { id: 'reason', label: banTexts.reason, help: banTexts.reasonHelp },
  durationField(banTexts.duration, '1h'),
];

const maxDetailColumns = 300;

/** What is known of what a ban does besides refusing new connections. */
export interface BanKnowledge {
  readonly endsSession?: boolean | undefined;
  /** The broker finds the clients of a username or address. */
  readonly canSearch?: boolean | undefined;
  readonly countersSeconds?: number | undefined;
  readonly queuedOf?: ((clientId: string) => number | undefined) | undefined;
}

export const banKnowledge = (state: MonitorState): BanKnowledge => ({
  endsSession: state.capabilities?.banEndsSession,
  canSearch: state.capabilities?.clientSearch,
  countersSeconds: state.capabilities?.sessionCountersSeconds,
  queuedOf: (clientId) => sessionKnowledge(state, clientId).session?.queueLength,
});

const nothingKnown = (): BanKnowledge => ({});

const built = (
  theme: Theme,
  target: Pick<BanRequest, 'kind' | 'value'>,
  values: Readonly<Record<string, string>>,
  field: string,
  { endsSession = false, canSearch = false, countersSeconds, queuedOf }: BanKnowledge,
): Built => {
  const { reason: typed = '', duration = '' } = values;
  const read = readDuration(duration);
  if ('error' in read) return { error: read.error, field: 'duration' };
  const reason = typed === '' ? undefined : typed;
  const action = addBan.create({ ...target, reason, seconds: read.seconds });
  if (action.invalid !== undefined) return { error: theme.escape(action.invalid), field };
  const isOffered = canSearch && searchOfBan(target) !== undefined;
  const ends =
    endsSession && target.kind === 'client-id'
      ? banTexts.endsSession(queuedOf?.(target.value), countersSeconds)
      : undefined;
  return {
    next: {
      kind: 'confirm',
      question: banTexts.add.question(escapeText(banKindNames[target.kind])),
      target: target.value,
      details: [
        durationLine(read.seconds),
        ...(reason === undefined ? [] : [banTexts.because(theme.escape(reason, maxDetailColumns))]),
        ...(ends === undefined ? [isOffered ? banTexts.staysConnectedUntil : banTexts.staysConnected] : []),
      ],
      verb: banTexts.add.verb,
      mustType: isWide(target.kind) ? target.value : undefined,
      warning: isWide(target.kind) ? banTexts.wide : ends,
      action,
      offer: isOffered ? { label: banTexts.disconnect, request: { kind: 'read-banned', target } } : undefined,
    },
  };
};

/** @param known read when the form is submitted */
export const newBanRequest = (theme: Theme, known: () => BanKnowledge = nothingKnown): FormRequest => ({
  kind: 'form',
  title: banTexts.add.title,
  fields: [
    {
      id: 'kind',
      label: banTexts.kind,
      kind: 'choice',
      choices: kinds.map(([, name]) => name),
      help: banTexts.kindHelp,
    },
    { id: 'value', label: banTexts.value, help: ({ kind }) => banTexts.valueHelp[kindOf(kind)] },
    ...endFields,
  ],
  verb: dialogTexts.continue,
  build: (values) =>
    built(theme, { kind: kindOf(values['kind']), value: values['value'] ?? '' }, values, 'value', known()),
});

/** By what is known of the client. */
export const banClientRequest = (
  theme: Theme,
  client: Pick<Client, 'clientId'> & Partial<Pick<Client, 'username' | 'ipAddress'>>,
  known: () => BanKnowledge = nothingKnown,
): FormRequest => {
  const { clientId, username, ipAddress } = client;
  const targets = (
    [
      ['client-id', clientId],
      ['username', username],
      ['address', ipAddress],
    ] as const
  ).flatMap(([kind, value]) =>
    value === undefined || value === '' ? [] : [{ kind, value, choice: `${banKindNames[kind]} ${value}` }],
  );
  return {
    kind: 'form',
    title: banTexts.add.titleOf(theme.escape(clientId, 60)),
    fields: [
      {
        id: 'target',
        label: banTexts.target,
        kind: 'choice',
        choices: targets.map(({ choice }) => choice),
        help: banTexts.targetHelp,
      },
      ...endFields,
    ],
    verb: dialogTexts.continue,
    build: (values) =>
      built(
        theme,
        targets.find(({ choice }) => choice === values['target']) ?? { kind: 'client-id', value: clientId },
        values,
        'target',
        known(),
      ),
  };
};

export const liftRequest = (theme: Theme, ban: Ban): ConfirmRequest => {
  const text = (raw: string | undefined): SafeText =>
    formatText(raw, (value) => cutText(theme.escape(value, maxDetailColumns), maxDetailColumns));
  return {
    kind: 'confirm',
    question: banTexts.lift.question(escapeText(banKindNames[ban.kind])),
    target: ban.value,
    details: [banTexts.until(formatEnd(ban.until)), banTexts.byFor(text(ban.by), text(ban.reason))],
    verb: banTexts.lift.verb,
    action: liftBan.create(ban),
  };
};
