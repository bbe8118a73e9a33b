/** The signals that end a program, as far as it can hear them. */
export const deadlySignals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;
export type DeadlySignal = (typeof deadlySignals)[number];
