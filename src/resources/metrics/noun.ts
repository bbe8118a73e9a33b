import { watchOf } from '../../monitor/query/part.ts';
import { defineNoun } from '../noun.ts';
import { selectBackgroundNodes } from './rates.ts';
import { loadHistory, metrics, nodeMetrics } from './resource.ts';

export const metricNoun = defineNoun({
  watches: () => [metrics],
  onDemand: [loadHistory],
  recorded: 'everyRefresh',
  // Rates are compared as figures.
  compared: 'no',
  // Counters without a rate say nothing, and `--once` has them.
});

export const nodeMetricNoun = defineNoun({
  watches: (state) => selectBackgroundNodes(state).map((node) => watchOf(nodeMetrics, node)),
  onDemand: [],
  recorded: 'everyMinute',
  compared: 'no',
});
