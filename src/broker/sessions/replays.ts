import type { Qos } from '../../domain/subscription.ts';
import { lowerQos, type Message } from '../engine/message.ts';
import type { RetainedWalk } from './retained.ts';
import type { Delivery } from './waiting-messages.ts';

interface Replay {
  readonly walk: RetainedWalk;
  readonly qos: Qos;
}

const nothing: readonly never[] = [];

/** Steps in one turn of the event loop: a topic that does not match is one, a message to be sent counts more. */
const maxStepsPerTurn = 2048;
const messageSteps = 8;

/** Retained messages that new subscriptions of one client still have to get, one filter after the other. */
export class Replays {
  readonly #byFilter = new Map<string, Replay>();
  /** Called when there may be more after `next` had to stop. */
  readonly #goOn: () => void;
  #stepsLeft = maxStepsPerTurn;

  constructor(goOn: () => void) {
    this.#goOn = goOn;
  }

  /** A repeated subscription begins anew. */
  set(filter: string, walk: RetainedWalk, qos: Qos): void {
    this.#byFilter.delete(filter);
    this.#byFilter.set(filter, { walk, qos });
  }

  get isEmpty(): boolean {
    return this.#byFilter.size === 0;
  }

  delete(filter: string): void {
    this.#byFilter.delete(filter);
  }

  clear(): void {
    this.#byFilter.clear();
  }

  /** `undefined` at the end, and when enough was done in this turn. */
  next(): Delivery | undefined {
    for (const [filter, { walk, qos }] of this.#byFilter) {
      while (this.#stepsLeft > 0) {
        const message = walk.next();
        this.#spend(message === undefined || message === 'passed' ? 1 : messageSteps);
        if (message === undefined) break;
        if (message !== 'passed') return deliveryOf(message, qos);
      }
      if (this.#stepsLeft <= 0) return undefined;
      this.#byFilter.delete(filter);
    }
    return undefined;
  }

  #spend(steps: number): void {
    if (this.#stepsLeft === maxStepsPerTurn) setImmediate(() => this.#nextTurn());
    this.#stepsLeft -= steps;
  }

  #nextTurn(): void {
    const hadToStop = this.#stepsLeft <= 0;
    this.#stepsLeft = maxStepsPerTurn;
    if (hadToStop) this.#goOn();
  }

  /** What is still to be sent of one topic, because a newer message of it comes now. */
  take(topic: string): readonly Delivery[] {
    if (this.#byFilter.size === 0) return nothing;
    const deliveries: Delivery[] = [];
    for (const { walk, qos } of this.#byFilter.values()) {
      const message = walk.take(topic);
      if (message !== undefined) deliveries.push(deliveryOf(message, qos));
    }
    return deliveries;
  }
}

function deliveryOf(message: Message, qos: Qos): Delivery {
  return { message, qos: lowerQos(message.qos, qos), retain: true };
}
