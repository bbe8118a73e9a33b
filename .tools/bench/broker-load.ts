import { withChild } from './child.ts';

/** Publishers, each with its own subject and subscribers. */
export interface Shape {
  readonly publishers: number;
  readonly subscribersEach: number;
  readonly qos: 0 | 1;
  /** Subscribe to each topic of a subject, or with one wildcard. */
  readonly isWild: boolean;
  /** Maximum messages in flight per publisher. */
  readonly window: number;
  /** The subscribers have persistent sessions. */
  readonly isPersistent?: boolean;
}

/** A question to the process; each is answered with one message. */
export type LoadQuestion =
  /** Publishes until `stop`; answered when the first messages have arrived. */
  | { readonly ask: 'start'; readonly port: number; readonly shape: Shape }
  /** Messages delivered since the start. */
  | { readonly ask: 'count' }
  | { readonly ask: 'stop' }
  /** Connects clients, each with one subscription, until `stop`. */
  | { readonly ask: 'connect'; readonly port: number; readonly clients: number }
  /** Sends one message at a time until `stop`. */
  | { readonly ask: 'probe'; readonly port: number }
  /** The longest round trip since the last question, in milliseconds. */
  | { readonly ask: 'longest' };

export interface Load {
  ask(question: LoadQuestion): Promise<number>;
}

/** Runs a load generator in its own process while `use` runs. */
export function withLoad<T>(use: (load: Load) => Promise<T>): Promise<T> {
  return withChild<string, LoadQuestion, number, T>('broker-load-process.ts', undefined, use);
}
