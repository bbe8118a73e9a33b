import type { FollowUp, PlannedRequest, Read, ReadFollowUp, Undoing } from '../../actions/action.ts';
import { askTexts, detailText, durationField, durationLine, readDuration } from '../../actions/asking.ts';
import { defineAction, type ShownRows } from '../../actions/define-action.ts';
import type { Built, ConfirmRequest, FormField, FormRequest, ReadRequest } from '../../actions/requests.ts';
import { brokerTimeText, invalidTexts, skipTexts, undoTexts } from '../../actions/texts.ts';
import { defineUndo, type KeptFields } from '../../actions/undo.ts';
import { asWanted, isSameTime, notAsWanted, orUnsupported, readEnd } from '../../actions/verification.ts';
import type { ClientSearch } from '../../api/management-api.ts';
import type { Ban, BanKind, BanTarget } from '../../domain/administration.ts';
import { type Client, clientIdOf, type Session } from '../../domain/client.ts';
import type { BrokerSeconds } from '../../domain/node.ts';
import type { Effects, MonitorState } from '../../monitor/state.ts';
import { formatEnd } from '../../terminal/format.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { ClientRow } from '../clients/actions.ts';
import { readClientSearch } from '../clients/search.ts';
import { sessionKnowledge } from '../sessions/knowledge.ts';
import { banKindNames } from './fields.ts';
import { bans, readBans } from './resource.ts';
import { banSentences, banTexts, banWords } from './texts.ts';

export interface BanRequest extends BanTarget {
  readonly reason?: string | undefined;
  /** The ban lasts so long from when it is sent; without this or `until`, it never ends. */
  readonly seconds?: number | undefined;
  readonly until?: BrokerSeconds | undefined;
}

/** The rows and facts that the actions of the screen Bans act on. */
export interface ShownBans extends ShownRows<Ban> {
  readonly isOffered: boolean;
  /** Read when the form is submitted. */
  readonly known: () => BanKnowledge;
}

const bansView: Effects = { refresh: [bans] };

const isSameTarget = (a: BanTarget, b: BanTarget): boolean => a.kind === b.kind && a.value === b.value;

async function findBan(read: Read, target: BanTarget): Promise<Ban | undefined> {
  const isIt = (ban: Ban): boolean => isSameTarget(ban, target);
  return (await read((api, options) => readBans(api, options, (listed) => listed.some(isIt)))).find(isIt);
}

const kindsOfBan = Object.keys(banKindNames) as readonly BanKind[];

const readKept = (kept: KeptFields): Pick<BanRequest, 'kind' | 'value' | 'reason' | 'until'> => ({
  kind: kept.oneOf('kind', kindsOfBan),
  value: kept.text('value'),
  reason: kept.optionalText('reason'),
  until: kept.optionalNumber('until'),
});

const undoAddBan = defineUndo(readKept, async (target, read): Promise<Undoing> => {
  const now = await findBan(read, target);
  if (now === undefined) return { refused: undoTexts.changedSince(banSentences.gone) };
  return isSameTime(now.until, target.until)
    ? { action: liftBan.create(now) }
    : { refused: undoTexts.changedSince(banSentences.changed(untilText(now.until))) };
});

const undoLiftBan = defineUndo(readKept, async (ban, read): Promise<Undoing> => {
  const { until } = ban;
  const now = await readEnd(read, 0);
  if (now?.until === undefined && until !== undefined) return { refused: skipTexts.noClock };
  return until !== undefined && until <= (now?.until ?? until)
    ? { refused: undoTexts.ended(untilText(until)) }
    : {
        action: addBan.create(ban),
        notes: [
          banSentences.expires(untilText(until)),
          banSentences.beginsNow,
          ...(ban.kind === 'client-id' ? [banSentences.disconnects] : []),
        ],
      };
});

/**
 * Refuses clients. A ban by client ID also disconnects the client, with a request of its own where the broker leaves it
 * connected; other bans leave connected clients as they are.
 */
export const addBan = defineAction({
  id: 'add-ban',
  label: 'ban a client ID, username or address',
  menuLabel: 'Ban',
  danger: 'destroys',
  capability: 'bans',
  where: 'Bans; Clients, Sessions, Subscriptions, a client (`a`)',
  key: {
    id: 'addBan',
    scope: 'bans',
    keys: ['n'],
    label: 'add',
    help: 'Add a ban; asks first',
    aliases: ['ban', 'block'],
  },
  staysOpen: true,
  ask: (theme, { isOffered, known }: ShownBans) =>
    isOffered ? () => ({ request: newBanRequest(theme, known) }) : undefined,
  rowChoice: (theme, { target: { subject }, state }: ClientRow) =>
    state().capabilities?.bans === true
      ? {
          next: banClientRequest(
            theme,
            subject.kind === 'client' ? subject.client : { clientId: clientIdOf(subject) },
            () => banKnowledge(state()),
          ),
        }
      : undefined,
  operations: ['addBan', 'disconnectClient'],
  confirmation: 'form, y/N; for a pattern or network type it',
  auditFields: ['kind', 'value', 'reason', 'seconds'],
  undo: undoAddBan.plan,
  create({ kind, value, reason, seconds, until: givenEnd }: BanRequest) {
    const target = { kind, value };
    let sentEnd: BrokerSeconds | undefined;
    return {
      target: { kind, value, reason, seconds },
      ...banWords.add(kind, value),
      invalid: problemOfBan(target),
      async recheck(read) {
        if ((await findBan(read, target)) !== undefined) return { changed: banSentences.exists };
        const end = givenEnd === undefined ? await readEnd(read, seconds) : { until: givenEnd };
        if (end === undefined) return { changed: skipTexts.noClock };
        const { until } = end;
        sentEnd = until;
        const disconnects = kind === 'client-id' && (await needsDisconnecting(read, value));
        return {
          plan: {
            before: {},
            after: { until: untilText(until) },
            requests: [
              {
                node: undefined,
                send: (api, options) =>
                  orUnsupported('add a ban', api.addBan?.({ kind, value, reason, until }, options)),
              },
              ...(disconnects ? [disconnectBanned(value)] : []),
            ],
            async verify(readAgain) {
              const now = await findBan(readAgain, target);
              if (now === undefined) return [notAsWanted(banSentences.missing)];
              if (disconnects && (await readBanned(readAgain, value)).isConnected)
                return [notAsWanted(banSentences.staysConnected)];
              return [
                isSameTime(now.until, until)
                  ? { ...asWanted, text: banSentences.expires(untilText(until)) }
                  : notAsWanted(banSentences.expiresOtherwise(untilText(now.until))),
              ];
            },
          },
        };
      },
      changed: () => undoAddBan.changed({ kind, value, until: sentEnd }),
      prepareFollowUp: (read) => prepareBanFollowUp(read, target),
      effects: () => bansView,
    };
  },
});

/** Whether a ban by client ID would leave something that disconnecting the client ends. */
async function needsDisconnecting(read: Read, clientId: string): Promise<boolean> {
  const { banEndsSession, disconnectEndsSession } = (await read(async (api) => api.capabilities)) ?? {};
  if (banEndsSession === true) return false;
  const { isConnected, session } = await readBanned(read, clientId);
  return isConnected || (disconnectEndsSession === true && session !== undefined);
}

const disconnectBanned = (clientId: string): PlannedRequest => ({
  node: undefined,
  needsEarlier: true,
  send: (api, options) => api.disconnectClient(clientId, options),
});

/** Ends a ban. The clients connect again by themselves. */
export const liftBan = defineAction({
  id: 'lift-ban',
  label: 'lift a ban',
  danger: 'changes',
  capability: 'bans',
  where: 'Bans',
  key: {
    id: 'liftBan',
    scope: 'bans',
    keys: ['D'],
    label: 'lift',
    help: 'Lift the ban; asks first',
    aliases: ['unban'],
  },
  ask: (theme, { row }: ShownBans) => row && (() => ({ request: liftRequest(theme, row) })),
  operations: ['liftBan'],
  confirmation: 'y/N',
  auditFields: ['kind', 'value', 'reason', 'by', 'since', 'until'],
  undo: undoLiftBan.plan,
  create(ban: Ban) {
    const shown = Object.freeze({ ...ban });
    const { kind, value, reason, by, since, until } = shown;
    return {
      target: { kind, value, reason, by, since, until },
      ...banWords.lift(kind, value),
      async recheck(read) {
        const before = await findBan(read, shown);
        if (before === undefined) return { changed: banSentences.gone };
        if (!isSameTime(before.until, until) || !isSameTime(before.since, since))
          return { changed: banSentences.changed(untilText(before.until)) };
        return {
          plan: {
            before: { until: untilText(until) },
            after: {},
            requests: [
              {
                node: undefined,
                send: (api, options) => orUnsupported('lift a ban', api.liftBan?.({ kind, value }, options)),
              },
            ],
            verify: async (readAgain) => [
              (await findBan(readAgain, shown)) === undefined ? asWanted : notAsWanted(banSentences.remains),
            ],
          },
        };
      },
      changed: () => undoLiftBan.changed({ kind, value, reason, until }),
      effects: () => bansView,
    };
  },
});

const untilText = (until: BrokerSeconds | undefined): string => (until === undefined ? 'never' : brokerTimeText(until));

const searched = 1_000;

/** Returns the search for the clients that a ban concerns; `undefined` for kinds that cannot be searched. */
export const searchOfBan = ({ kind, value }: BanTarget): ClientSearch | undefined =>
  kind === 'username' ? { wholeUsername: value } : kind === 'address' ? { ipAddress: value } : undefined;

/** Whether a ban concerns a client: the search may find more. */
export const isConcernedBy = ({ kind, value }: BanTarget, { username, ipAddress }: Client): boolean =>
  (kind === 'username' ? username : ipAddress) === value;

/** Some brokers take so long to disconnect the client. */
const settlingMs = 3_000;

async function prepareBanFollowUp(read: Read, target: BanTarget): Promise<ReadFollowUp> {
  if (target.kind !== 'client-id') return (readAgain) => countConnected(readAgain, target);
  const before = await readBanned(read, target.value);
  const countersSeconds = await read(async (api) => api.capabilities?.sessionCountersSeconds);
  return async (readAgain, elapsedMs) => {
    const now = await readBanned(readAgain, target.value);
    return {
      text: banSentences.ofClient(before, now, countersSeconds),
      isFinal: !now.isConnected || elapsedMs() > settlingMs,
    };
  };
}

async function readBanned(
  read: Read,
  value: string,
): Promise<{ readonly isConnected: boolean; readonly session: Session | undefined }> {
  const clients = await read((api, options) => api.getClient(value, options));
  const sessions = await read((api, options) => api.getSession(value, options));
  return {
    isConnected: clients.some(({ clientId }) => clientId === value),
    session: sessions.find(({ clientId }) => clientId === value),
  };
}

/** Counts clients that the ban refuses, but that are connected still. @throws ApiError */
async function countConnected(read: Read, target: BanTarget): Promise<FollowUp> {
  switch (target.kind) {
    case 'username':
    case 'address': {
      const search = searchOfBan(target) ?? {};
      const page = await read(async (api, options) =>
        api.searchClients?.(search, { page: 1, pageSize: searched }, options),
      );
      if (page === undefined) return { text: banSentences.othersStay, isFinal: true };
      const count = page.items.filter((client) => isConcernedBy(target, client)).length;
      return { text: banSentences.stillConnected(count, page.hasNext ?? (page.totalPages ?? 1) > 1), isFinal: true };
    }
    default:
      return { text: banSentences.othersStay, isFinal: true };
  }
}

const isAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)$/iu;

/** Returns what is wrong with a ban, as a sentence. */
function problemOfBan({ kind, value }: BanTarget): string | undefined {
  if (value === '') return banSentences.empty;
  if (value.includes('\u0000')) return invalidTexts.nul('text');
  if (!value.isWellFormed()) return invalidTexts.unicode('text');
  if (kind === 'address' && !isAddress.test(value)) return banSentences.address;
  if (kind === 'network') {
    const [address = '', bits = '', rest] = value.split('/');
    return isAddress.test(address) &&
      /^\d{1,3}$/u.test(bits) &&
      Number(bits) <= (address.includes(':') ? 128 : 32) &&
      rest === undefined
      ? undefined
      : banSentences.network;
  }
  return undefined;
}

const kinds = Object.entries(banKindNames) as readonly (readonly [BanKind, string])[];

const kindOf = (name: string | undefined): BanKind => kinds.find(([, each]) => each === name)?.[0] ?? 'client-id';

/** Whether a ban may match every client, as patterns and networks do. */
const isWide = (kind: BanKind): boolean =>
  kind === 'client-id-pattern' || kind === 'username-pattern' || kind === 'network';

const endFields: readonly FormField[] = [
  { id: 'reason', label: banTexts.reason, help: banTexts.reasonHelp },
  durationField(banTexts.duration, '1h'),
];

const maxReasonColumns = 300;

/** The facts about a ban besides that it refuses new connections. */
export interface BanKnowledge {
  readonly endsSession?: boolean | undefined;
  /** Whether the broker finds the clients of a username or address. */
  readonly canSearch?: boolean | undefined;
  readonly countersSeconds?: number | undefined;
  readonly queuedOf?: ((clientId: string) => number | undefined) | undefined;
}

export const banKnowledge = (state: MonitorState): BanKnowledge => ({
  endsSession: state.capabilities?.banEndsSession === true || state.capabilities?.disconnectEndsSession === true,
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
  const staying =
    target.kind === 'client-id'
      ? banTexts.disconnects
      : isOffered
        ? banTexts.staysConnectedUntil
        : banTexts.staysConnected;
  return {
    next: {
      kind: 'confirm',
      question: banTexts.add.question(escapeText(banKindNames[target.kind])),
      target: target.value,
      details: [
        durationLine(read.seconds),
        ...(reason === undefined ? [] : [banTexts.because(theme.escape(reason, maxReasonColumns))]),
        ...(ends === undefined ? [staying] : []),
      ],
      verb: banTexts.add.verb,
      mustType: isWide(target.kind) ? target.value : undefined,
      warning: isWide(target.kind) ? banTexts.wide : ends,
      action,
      offer: isOffered ? { label: banTexts.disconnect, request: readBannedRequest(theme, target) } : undefined,
    },
  };
};

const maxConcernedWidth = 40;

/** Finds the clients that a ban concerns, as they are now, to disconnect them. */
export const readBannedRequest = (theme: Theme, target: BanTarget): ReadRequest => {
  const concerned = banTexts.concerned(target.kind, theme.escapeEnds(target.value, maxConcernedWidth));
  return {
    kind: 'read',
    title: banTexts.concernedTitle(concerned),
    read: async ({ monitor, signal }) => {
      const found = await monitor.request(
        (api, options) => readClientSearch(api, [searchOfBan(target) ?? {}], options),
        { signal },
      );
      const clients = found.items.filter((client) => isConcernedBy(target, client));
      if (clients.length === 0) return { refused: banTexts.noneConcerned };
      return {
        request: {
          kind: 'bulk',
          group: {
            by: target.kind === 'username' ? 'username' : 'address',
            text: found.hasMore ? banTexts.firstOf(concerned) : concerned,
          },
          targets: clients.map((client) => ({ kind: 'client', client })),
          changedIds: new Set(),
          shownCount: clients.length,
          areBanned: true,
        },
      };
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
  verb: askTexts.continue,
  build: (values) =>
    built(theme, { kind: kindOf(values['kind']), value: values['value'] ?? '' }, values, 'value', known()),
});

/** Asks to ban a client, by what is known of it. */
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
    verb: askTexts.continue,
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

export const liftRequest = (theme: Theme, ban: Ban): ConfirmRequest => ({
  kind: 'confirm',
  question: banTexts.lift.question(escapeText(banKindNames[ban.kind])),
  target: ban.value,
  details: [
    banTexts.until(formatEnd(ban.until)),
    banTexts.byFor(detailText(theme, ban.by), detailText(theme, ban.reason)),
  ],
  verb: banTexts.lift.verb,
  action: liftBan.create(ban),
});

export const banActions = [addBan, liftBan] as const;
