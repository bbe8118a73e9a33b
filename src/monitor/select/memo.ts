/** State → what screens show, as raw numbers. All in one place to import from. */
export * from './freshness.ts';
export * from './nodes.ts';
export * from '../../triage/problems.ts';
export * from './rates.ts';
export * from './totals.ts';
