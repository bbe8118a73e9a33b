import { clientScan } from './clients/resource.ts';
import { routeScan } from './routes/resource.ts';
import { sessionScan } from './sessions/resource.ts';
import { subscriptionScan } from './subscriptions/resource.ts';

/** The lists that are read in pages, by the names that problems and texts use. */
export const scans = { clientScan, sessionScan, subscriptionScan, routeScan } as const;

export type ScanName = keyof typeof scans;

export const scanNames = Object.keys(scans) as readonly ScanName[];
