import { clientFields } from './clients/fields.ts';
import { listenerFields } from './listeners/fields.ts';
import { nodeFields } from './nodes/fields.ts';
import { routeFields } from './routes/fields.ts';
import { sessionFields } from './sessions/fields.ts';
import { subscriptionFields } from './subscriptions/fields.ts';
import { userFields } from './users/fields.ts';

/** The fields of the lists that the configuration arranges, by their names there and on the command line. */
export const listFields = {
  clients: clientFields,
  sessions: sessionFields,
  subscriptions: subscriptionFields,
  routes: routeFields,
  nodes: nodeFields,
  listeners: listenerFields,
  users: userFields,
} as const;

export type ListName = keyof typeof listFields;

export const listNames = Object.keys(listFields) as readonly ListName[];

export const fieldNames = (list: ListName): readonly string[] => Object.keys(listFields[list]);
