import type { Exposure } from './exposure.ts';

/** What the header says about where and how the monitor runs. */
export interface SessionView extends Exposure {
  /** Name of the place, shown before the URL, e.g. `demo`. */
  readonly context?: string | undefined;
  readonly url: string;
  /** Whom the program signs in as. */
  readonly user?: string | undefined;
  readonly isReadOnly: boolean;
  /** Actions are not recorded, because the operator wanted it so. */
  readonly isUnrecorded?: boolean | undefined;
  /** Reads a file that is to be published; rejects with one sentence. */
  readonly readPayload: (path: string) => Promise<string>;
  /** The variant as far as it is known by now: `variant B`, `variant not known yet`. Asked when capabilities change. */
  readonly describeVariant: () => string;
}
