import type { Log } from '../log.ts';

/** Logs when a service begins to fail and when it works again, and not each failure in between: there may be thousands. */
export class FailureReport {
  readonly #log: Log;
  readonly #what: string;
  #failures = 0;

  /** `what` is the service as lines call it. */
  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
  }

  failed(why: string): void {
    if (this.#failures === 0) this.#log('error', `${this.#what} fails: ${why}`);
    this.#failures += 1;
  }

  worked(): void {
    if (this.#failures > 0) this.#log('warning', `${this.#what} works again, after ${this.#failures} failures`);
    this.#failures = 0;
  }
}
