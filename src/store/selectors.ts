/** State → what screens show, as raw numbers. All in one place to import from. */
export * from './select-freshness.ts';
export * from './select-nodes.ts';
export * from './select-problems.ts';
export * from './select-rates.ts';
export * from './select-totals.ts';
