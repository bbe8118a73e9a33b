import { followResource, type QueryContext } from '../../monitor/query/query.ts';
import { journalTexts } from '../../monitor/texts.ts';
import { createHistory, createSampleTimes, type HistoryRecorder, type SampleTimes } from './history.ts';
import { loadHistory, metricHistory, metricPast, metrics, nodeMetrics, reportedLoad } from './resource.ts';

/** Keeps the samples of all counters, of the cluster and of single nodes. */
export function createMetricRecorder({ clock, journal, onOtherSource }: QueryContext): {
  readonly history: HistoryRecorder;
  readonly times: SampleTimes;
} {
  const history = createHistory();
  const breakRates = (): void => {
    history.breakAll();
  };
  onOtherSource(breakRates);
  return {
    history,
    times: createSampleTimes({
      clock,
      breakRates,
      onJump: (jumpMs) => {
        journal.note('info', journalTexts.clockJumped(Math.round(jumpMs / 1_000)));
      },
    }),
  };
}

/** Records the counters of the cluster. */
export const metricFollower = followResource(metrics, ({ share, write }) => {
  const { history, times } = share(createMetricRecorder);
  let record: ReturnType<SampleTimes['begin']> | undefined;
  return {
    onRequest() {
      record = times.begin();
    },
    onAnswer(figures) {
      record?.((atMs) => {
        write(metricHistory, history.recordCluster(figures, atMs));
        write(metricPast, history.past());
      });
    },
  };
});

/** Records the counters of a node that are read alone. */
export const nodeMetricFollower = followResource(nodeMetrics, ({ share, write }, node) => {
  const { history, times } = share(createMetricRecorder);
  let record: ReturnType<SampleTimes['begin']> | undefined;
  return {
    onRequest() {
      record = times.begin();
    },
    onAnswer(figures) {
      record?.((atMs) => {
        write(metricHistory, history.recordNode(node, figures, atMs));
        write(metricPast, history.past());
      });
    },
  };
});

/** Puts the broker's own samples on this machine's time, by how old they were in the answer. */
export const loadHistoryFollower = followResource(loadHistory, ({ clock, write }) => {
  let isKnown = false;
  return {
    onAnswer(samples) {
      // Read once: later answers are the same.
      if (isKnown) return;
      isKnown = true;
      const nowMs = clock.monotonicMs();
      write(
        reportedLoad,
        samples.map(({ secondsAgo, rates }) => ({ atMs: nowMs - secondsAgo * 1_000, rates })),
      );
    },
  };
});
