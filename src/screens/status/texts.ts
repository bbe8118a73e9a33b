import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Happened } from './away.ts';

export const headerTexts = {
  nodes: (running: SafeText) => safe`${running} nodes`,
  version: (version: SafeText) => safe`v${version}`,
  /** Says that nodes have different versions. */
  versions: (count: number) => safe`${count} versions`,
  checking: safe`checking…`,
  /** Says that checks are missing that need no key. */
  checkingRest: (done: number, all: number) => safe`checking… ${formatCount(done)}/${formatCount(all)}`,
  allClear: safe`no problems`,
  /** Counts the checks that were made: some are made on other screens only. */
  noneIn: (passed: number, all: number) => safe`no problems in ${formatCount(passed)}/${formatCount(all)}`,
  severity: {
    critical: (count: number) => safe`${formatCount(count)} critical`,
    warning: (count: number) => safe`${formatCount(count)} ${count === 1 ? safe`warning` : safe`warnings`}`,
    acknowledged: (count: number) => safe`${formatCount(count)} acknowledged`,
  },
  shortSeverity: {
    critical: (count: number) => safe`${formatCount(count)} crit`,
    warning: (count: number) => safe`${formatCount(count)} warn`,
    acknowledged: (count: number) => safe`${formatCount(count)} acked`,
  },
  stale: safe`STALE`,
  readOnly: safe`READ-ONLY`,
  /** Says that the data of problems is old. */
  seen: (seconds: number) => safe`(as of ${formatCount(Math.floor(seconds / 60))} min ago)`,
  noAudit: safe`NO AUDIT`,
  frozen: safe`PAUSED`,
  recording: safe`RECORDING`,
  /** Says that nothing can be written. */
  notRecording: safe`NOT RECORDING`,
};

const awayChanges = ({ began, ended, changed }: Happened): SafeText =>
  [
    ...(began > 0 ? [safe`${formatCount(began)} ${began === 1 ? safe`problem` : safe`problems`} began`] : []),
    ...(ended > 0
      ? [safe`${formatCount(ended)}${began > 0 ? safe`` : ended === 1 ? safe` problem` : safe` problems`} ended`]
      : []),
    ...(changed > 0 ? [safe`${formatCount(changed)} ${changed === 1 ? safe`change` : safe`changes`} by others`] : []),
  ].reduce((text, part) => safe`${text}, ${part}`);

/** The line of messages; `error` is escaped. */
export const statusTexts = {
  /** Says what happened while nobody pressed a key. */
  away: (minutes: SafeText, happened: Happened) => safe`While you were away (${minutes}): ${awayChanges(happened)} (L)`,
  /** The same, in the timeline, where everything below came before. */
  wasAway: (minutes: SafeText, happened: Happened) => safe`You were away ${minutes}: ${awayChanges(happened)}`,
  apiDown: safe`API not reachable`,
  failed: (resource: SafeText, error: SafeText) => safe`! ${resource}: ${error}.`,
  retry: (wait: SafeText) => safe` Retry in ${wait}.`,
  retrying: safe` Retrying.`,
  dataAge: (age: SafeText) => safe` Data is ${age} old.`,
  disconnecting: (done: SafeText, total: SafeText) => safe`disconnecting ${done} of ${total}`,
  bulkKey: safe` (B progress) `,
};
