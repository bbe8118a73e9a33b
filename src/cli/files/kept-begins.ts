import { beginsOf, earlierRuns } from '../../timeline/open-problems.ts';
import type { Begin } from '../../triage/finding-changes.ts';
import { eventsTexts } from '../texts.ts';
import { EventFileError, eventFilePath, openEventFile } from './event-file.ts';

/**
 * Returns when the problems of a cluster began that monitors have kept events of, by key; none if they cannot be
 * read, which it says.
 */
export const keptBegins =
  (environment: NodeJS.ProcessEnv, cluster: string, say: (text: string) => void) =>
  async (nowMs: number): Promise<ReadonlyMap<string, Begin>> => {
    const file = eventFilePath(environment, cluster);
    if (file === undefined) return new Map();
    try {
      return beginsOf(earlierRuns(await openEventFile(file).read(), nowMs));
    } catch (error) {
      say(eventsTexts.notRead(file, error instanceof EventFileError ? error.code : String(error)));
      return new Map();
    }
  };
