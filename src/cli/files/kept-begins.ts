import { beginsOf, earlierRuns } from '../../timeline/open-problems.ts';
import type { Begin } from '../../triage/finding-changes.ts';
import { eventFilePath, openEventFile } from './event-file.ts';

/** Returns when the problems of a cluster began that monitors have kept events of, by key; none if they cannot be read. */
export const keptBegins =
  (environment: NodeJS.ProcessEnv, cluster: string) =>
  async (nowMs: number): Promise<ReadonlyMap<string, Begin>> => {
    const file = eventFilePath(environment, cluster);
    if (file === undefined) return new Map();
    try {
      return beginsOf(earlierRuns(await openEventFile(file).read(), nowMs));
    } catch {
      // Then they are new, as they were without the file.
      return new Map();
    }
  };
