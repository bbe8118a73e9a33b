import { withChild } from './child.ts';

/** Publishers and their subscribers. Each publisher has a subject of its own, and so many subscribers to it. */
export interface Shape {
  readonly publishers: number;
  readonly subscribersEach: number;
  readonly qos: 0 | 1;
  /** Subscribe to the topics of a subject one by one, or by one filter with a wildcard. */
  readonly isWild: boolean;
  /** Most messages of a publisher on their way. */
  readonly window: number;
  /** The subscribers have persistent sessions. */
  readonly isPersistent?: boolean;
}

/** A question to the process; each is answered with one message. */
export type LoadQuestion =
  /** Keeps the load up until `stop`; answered when all are subscribed and the first messages have come. */
  | { readonly ask: 'start'; readonly port: number; readonly shape: Shape }
  /** Answered with the messages delivered since the start. */
  | { readonly ask: 'count' }
  | { readonly ask: 'stop' }
  /** Connects so many clients, each subscribed to a topic of its own; they stay until `stop`. */
  | { readonly ask: 'connect'; readonly port: number; readonly clients: number }
  /** Sends one message after the other, the next when the last has come back, until `stop`. */
  | { readonly ask: 'probe'; readonly port: number }
  /** Answered with the longest way there and back since the last time, in milliseconds. */
  | { readonly ask: 'longest' };

export interface Load {
  ask(question: LoadQuestion): Promise<number>;
}

/** What loads a broker, in a process of its own, for as long as `use` takes. */
export function withLoad<T>(use: (load: Load) => Promise<T>): Promise<T> {
  return withChild<string, LoadQuestion, number, T>('broker-load-process.ts', undefined, use);
}
