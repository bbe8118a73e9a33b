import type { BrokerSeconds } from './node.ts';

/** Something that the broker itself warns of. Its texts are the broker's. */
export interface Alarm {
  readonly id: string;
  /** `warning`, `error` and `critical` were seen. */
  readonly severity: string | undefined;
  readonly title: string | undefined;
  readonly summary: string | undefined;
  readonly occurredAt: BrokerSeconds | undefined;
}

const queueAlarm = 'queue_high_watermark.';

/** The session whose queue an alarm says is past its mark; `undefined` for any other alarm. */
export const queueAlarmClient = ({ id }: Alarm): string | undefined =>
  (id.startsWith(queueAlarm) && id.length > queueAlarm.length ? id.slice(queueAlarm.length) : undefined);
