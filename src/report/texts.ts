import { say, type Sentence } from '../domain/sentence.ts';
import { durationText, pluralize, untrusted, withThousands } from '../domain/text.ts';
import { dateText } from '../domain/time-text.ts';

/** Writes `UTC+01:00`, the time zone of this machine at a time. */
export function zoneText(atMs: number): string {
  const minutes = -new Date(atMs).getTimezoneOffset();
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return minutes === 0
    ? 'UTC'
    : `UTC${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

/** Writes a date with its year: `27 Nov 2026`. */
export const fullDateText = (atMs: number): string => `${dateText(atMs)} ${new Date(atMs).getFullYear()}`;

const lasted = (ms: number): string => durationText(Math.max(0, ms) / 1_000);

export const reportTexts = {
  title: (cluster: string): Sentence => say`Incident report: ${untrusted(cluster)}`,
  redactedTitle: 'Incident report',
  range: (from: string, to: string, ms: number, zone: string): Sentence =>
    say`${from} to ${to} (${lasted(ms)}). Times are ${zone}.`,
  recordedBy: (programs: readonly string[], version: string, writtenAt: string): Sentence =>
    say`Recorded by brokertop ${programs.join(', ')}; written ${writtenAt} by brokertop ${version}.`,
  redacted:
    'Client IDs, users, addresses and nodes have other names here; the same name is the same thing everywhere. Topics and other texts are as the broker reports them, without these.',

  summary: 'Summary',
  noProblems: 'No problem was found in this time.',
  problemsUnknown: 'Problems were not recorded in this time, so it is not known whether there were any.',
  problemCounts: (critical: number, warning: number): Sentence =>
    say`${[
      ...(critical > 0 ? [`${pluralize(critical, 'critical problem')}`] : []),
      ...(warning > 0 ? [`${pluralize(warning, 'warning')}`] : []),
    ].join(', ')}.`,
  stillOpen: (count: number): string => `${withThousands(count)} still open at the end`,
  endUnknown: (count: number): string =>
    `of ${withThousands(count)} it is not known whether ${count === 1 ? 'it has' : 'they have'} ended`,
  moreProblems: (count: number): string => `${pluralize(count, 'more problem')}, see below.`,
  clients: (before: number, after: number): string =>
    before === after
      ? `Clients: ${withThousands(after)}, at the beginning as at the end.`
      : `Clients: ${withThousands(before)} at the beginning, ${withThousands(after)} at the end (${after < before ? '−' : '+'}${withThousands(Math.abs(after - before))}).`,
  actions: (count: number): string => `${pluralize(count, 'action')}, see "What was done".`,
  noActions: 'No action was recorded.',
  actionsUnknown: 'No events were recorded, so what was done is not known.',
  notRecordedFor: (ms: number): string =>
    `Nothing was recorded for ${lasted(ms)} of this time, see "What is not known".`,

  problems: 'Problems',
  began: 'Began',
  beganBefore: (time: string): string => `${time} or before`,
  happened: 'Happened',
  ended: 'Ended',
  between: (from: string, to: string): string => `between ${from} and ${to}`,
  open: 'still open at the end of this report',
  atEnd: 'at the end',
  openSince: (ms: number): string => `Still open at the end of this report, after ${lasted(ms)}`,
  unknownSince: (time: string): string => `not known, as it could not be checked since ${time}`,
  lasted: 'Lasted',
  lastedAtLeast: (ms: number): string => `at least ${lasted(ms)}`,
  lastedFor: lasted,
  lost: 'Lost',
  messages: (count: number, isMin: boolean): string => `${isMin ? 'at least ' : ''}${pluralize(count, 'message')}`,
  atWorst: (time: string): string => `At its worst (${time})`,
  lastSeen: (time: string): string => `Last (${time})`,
  notSampled: 'Evidence',
  notSampledText: 'not recorded: the problem was too short to be in a sample',
  course: 'Course',
  caused: 'With it',
  action: 'Action',
  nothingDone: 'No action about it was recorded',
  notDetailed: (count: number): string => `${pluralize(count, 'more problem')}, without details:`,

  timeline: 'Timeline',
  timelineHead: ['Time', 'Severity', 'What', 'Object'],
  noEvents: 'No events were recorded.',
  eventsLeftOut: (count: number): string =>
    `${pluralize(count, 'event')} left out, those of the lowest severity first. brokertop replay shows all of them.`,

  graphs: 'Graphs',
  graphsNote: 'Dashed lines mark where the problems above begin, by their number.',
  messagesGraph: 'Messages',
  lossGraph: 'Lost and unrouted messages',
  clientsGraph: 'Clients',
  perSecond: 'messages/s',
  connected: 'connected',
  received: 'received',
  sent: 'sent',
  dropped: 'dropped by the broker',
  queues: 'lost by full queues',
  allNodes: 'all nodes',
  nodesNotDrawn: (count: number): string =>
    `${pluralize(count, 'node')} not drawn: those whose number of clients changed least.`,

  clientsConcerned: 'Clients concerned',
  clientsHead: ['Client', 'Node', 'User', 'Address', 'Lost', 'Problem'],
  noClients: 'No client is known to be concerned.',
  clientsLeftOut: (count: number): string => `${pluralize(count, 'more client')}.`,
  notKnown: 'not known',
  lostNone: 'none counted',
  lostAtLeast: (count: number): string => `at least ${withThousands(count)}`,

  done: 'What was done',
  doneHead: ['Time', 'What', 'By', 'Afterwards'],
  nothingAfterwards: 'no change of a problem in the next 10 minutes',
  afterwards: (ms: number, text: Sentence): Sentence => say`${lasted(ms)} later: ${text}`,

  changed: 'What changed between the beginning and the end',
  compared: (from: string, to: string): string => `The state at ${from}, compared with that at ${to}.`,
  figuresHead: ['Figure', 'Beginning', 'End'],
  changesHead: ['List', 'Change', 'What', 'Before', 'After'],
  changesLeftOut: (count: number): string => `${pluralize(count, 'more change')}. brokertop diff prints all of them.`,
  nothingChanged: 'Nothing that was recorded at both moments differs.',

  unknown: 'What is not known',
  gap: (from: string, to: string, ms: number): string => `Nothing was recorded from ${from} to ${to} (${lasted(ms)}).`,
  beginsLater: (from: string): string => `The recording begins at ${from}: nothing is known of the time before.`,
  endsEarlier: (to: string): string => `The recording ends at ${to}: nothing is known of the time after.`,
  unread: {
    before: (lists: readonly string[]): string =>
      `Not recorded at the beginning, so their changes are not known: ${lists.join(', ')}.`,
    after: (lists: readonly string[]): string =>
      `Not recorded at the end, so their changes are not known: ${lists.join(', ')}.`,
    both: (lists: readonly string[]): string => `Not recorded, so their changes are not known: ${lists.join(', ')}.`,
  },
  notToEnd: (list: string, what: string): string =>
    list === 'totals' || list === 'rates' ? `The ${list} were ${what}.` : `The list of ${list} was ${what}.`,
  unchecked: (title: string, reason: Sentence): Sentence => say`Not checked at the end: ${title} (${reason}).`,
  olderRules: (programs: readonly string[]): string =>
    `Problems are those that brokertop ${programs.join(', ')} found at the time. They were not judged again.`,
  actionsHere:
    'Actions are those done with the brokertop that recorded, and with others whose events are kept beside it. What was done otherwise shows only in what changed.',
  zone: 'Times of day are those of the machine that recorded, as its clock was set.',
} as const;
