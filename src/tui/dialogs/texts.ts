import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const dialogTexts = {
  cancel: safe`Cancel`,
  cancelled: safe`Canceled. Nothing was sent.`,
  choose: safe`Choose`,
  reading: safe`··· loading`,
  change: safe`Change`,
};

export const unavailableTexts = {
  unauthorized: safe`Login rejected: press A to sign in`,
  proxy: (why: SafeText) => safe`Actions are disabled: ${why}`,
};

export const screenMenuTexts = {
  title: (screen: SafeText, subject?: SafeText) => safe`${screen}: ${subject ?? safe`actions`}`,
  onNode: (name: SafeText, node: SafeText | undefined) => safe`${name} on ${node ?? safe`all nodes`}`,
  none: safe`No actions here: no row is selected, or this broker has none`,
};

export const outcomeDialogTexts = {
  running: safe`Running`,
  answered: safe`Result`,
  phases: {
    checking: safe`checking the target`,
    recording: safe`writing the audit log`,
    sending: safe`sent, waiting for the response`,
    verifying: safe`accepted, verifying the effect`,
    'finding-out': safe`not confirmed, checking whether it took effect`,
    finished: safe`finished`,
  },
  following: safe`still watching`,
  leave: safe`Run in background`,
  more: (count: number) => safe`${count} more lines in the timeline (L)`,
};

export const confirmTexts = {
  type: (name: SafeText, verb: SafeText) => safe`Type ${name} to ${verb}: `,
  wrong: safe`! That does not match. Nothing was sent.`,
  quit: {
    question: safe`Quit now?`,
    verb: safe`quit`,
    running: 'Actions are still running.',
    demo: 'The demo cluster stops too.',
    idle: 'No action is running.',
    idleUnknown: 'No action is running, but some outcomes are unknown.',
    unknown: (title: SafeText) => safe`${title}: its outcome is unknown.`,
    unknownOf: (title: SafeText, count: number) => safe`${title}: the outcome of ${formatCount(count)} is unknown.`,
    bulk: (title: SafeText, left: number, total: number, sent: number) =>
      safe`${title}: ${formatCount(left)} of ${formatCount(total)} would not be sent${sent === 0 ? safe`` : safe`; the outcome of ${formatCount(sent)} already sent would be unknown`}.`,
    unsent: (title: SafeText) => safe`${title}: it would not be sent.`,
    sent: (title: SafeText) => safe`${title}: already sent, its outcome would be unknown.`,
  },
};

export const formTexts = {
  next: safe`Next field`,
  previous: safe`Previous field`,
  position: (place: number, count: number) => safe`${place} of ${count}`,
  lines: (count: number) => safe`${formatCount(count)} lines`,
  line: (place: number, count: number) => safe`line ${formatCount(place)} of ${formatCount(count)}`,
  rejected: (label: SafeText | undefined) =>
    label === undefined ? safe`Not accepted` : safe`Not accepted in "${label}"`,
  choose: safe`← → choose`,
  isChoice: (label: SafeText | undefined) =>
    safe`Choose ${label === undefined ? safe`` : safe`"${label}" `}with ← → or Space.`,
  hasLines: safe`this field takes one line only.`,
  tooLong: (length: number, max: number) => safe`${formatCount(length)} characters, max ${formatCount(max)}.`,
};
