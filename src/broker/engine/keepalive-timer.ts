import { performance } from 'perf_hooks';
import type { BrokerSettings } from './settings.ts';

/** Ends a connection whose CONNECT does not come, and later a client that has been silent for too long. */
export class KeepaliveTimer {
  readonly #settings: BrokerSettings;
  readonly #expired: (reason: 'connect-timeout' | 'keepalive-timeout') => void;
  #timer: NodeJS.Timeout;
  #keepaliveSeconds = 0;
  #lastPacketMs = 0;
  #isStopped = false;

  constructor(settings: BrokerSettings, expired: (reason: 'connect-timeout' | 'keepalive-timeout') => void) {
    this.#settings = settings;
    this.#expired = expired;
    this.#timer = setTimeout(() => expired('connect-timeout'), settings.connectTimeoutMs);
  }

  /** A packet came. */
  touch(): void {
    this.#lastPacketMs = performance.now();
  }

  /** From now on the client has to send something every so often; 0 is never. */
  watchKeepalive(keepaliveSeconds: number): void {
    clearTimeout(this.#timer);
    this.#keepaliveSeconds = keepaliveSeconds;
    if (keepaliveSeconds > 0 && !this.#isStopped) this.#wait(this.#remainingMs());
  }

  /** The allowed silence may have changed. */
  rearm(): void {
    if (this.#keepaliveSeconds > 0 && !this.#isStopped) this.#wait(this.#remainingMs());
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #remainingMs(): number {
    const allowedMs = this.#keepaliveSeconds * 1000 * 2 * this.#settings.keepaliveBackoff;
    return this.#lastPacketMs + allowedMs - performance.now();
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const remaining = this.#remainingMs();
      if (remaining > 0) this.#wait(remaining);

      // A busy process may not have read yet what the client sent in time: read first, then judge.
      else setImmediate(() => this.#check());
    }, Math.max(1, Math.ceil(ms)));
  }

  #check(): void {
    if (this.#isStopped) return;
    const remaining = this.#remainingMs();
    if (remaining > 0) this.#wait(remaining);
    else this.#expired('keepalive-timeout');
  }
}
