import { reading, readings } from '../../monitor/query/part.ts';
import { followScan } from '../../monitor/query/query.ts';
import { refreshOf } from '../../monitor/steps.ts';
import { clientDetail } from '../clients/detail.ts';
import { clientScan } from '../clients/resource.ts';
import { createQueueTrends, queueTrends } from './queues.ts';
import { sessionScan } from './resource.ts';

/** Follows the longest queues from one reading of the sessions to the next. */
export const queueFollower = followScan(sessionScan, ({ state, write }) => {
  const trendsOf = createQueueTrends();
  return {
    onAnswer(sessions) {
      const opened = readings(state(), clientDetail);
      write(queueTrends, trendsOf(sessions, reading(state(), clientScan), opened, refreshOf(state().capabilities)));
    },
  };
});
