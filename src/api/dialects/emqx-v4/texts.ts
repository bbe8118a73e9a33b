import { silentNodeTexts } from '../../texts.ts';

export const v4Texts = {
  name: 'API v4',
  nanoMq: 'NanoMQ',
  /** NanoMQ is one node, and gives it no name. */
  nanoMqNode: 'nanomq',
  loginNeeded: 'Users need the port of the dashboard (18083 by default) and the login of one of its users.',
  silentNode: silentNodeTexts.silent,
  emptyPage: 'a page has at least one row',
  otherObject: 'it describes another object',
  comma: 'the broker would take the commas for the ends of several topics',
  invalid: 'it does not accept a value',
  exists: 'it already exists',
  noTopic: 'it does not accept the topic',
  noClock: 'the clock of the broker is not known yet',
  notSubscribed: 'the client is not subscribed to it',
  notABanKind: 'this API bans client IDs, usernames and addresses only',
  manyBans: 'there are too many bans to look for it',
} as const;
