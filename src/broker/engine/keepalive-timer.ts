import { performance } from 'perf_hooks';
import type { BrokerSettings } from './settings.ts';

/** Times out a missing CONNECT, and later a client that exceeds its keepalive. */
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

  /** A packet was received. */
  touch(): void {
    this.#lastPacketMs = performance.now();
  }

  /** Starts watching the keepalive; 0 turns it off. */
  watchKeepalive(keepaliveSeconds: number): void {
    clearTimeout(this.#timer);
    this.#keepaliveSeconds = keepaliveSeconds;
    if (keepaliveSeconds > 0 && !this.#isStopped) this.#wait(this.#remainingMs());
  }

  /** Restarts the timer with the present settings. */
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

      // A busy process may not have read yet what the client sent in time.
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
