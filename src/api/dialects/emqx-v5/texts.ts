import { roundDurationText } from '../../../domain/text.ts';
import { silentNodeTexts } from '../../texts.ts';

export const v5Texts = {
  name: 'API v5',
  dotId: 'the broker removes "." and ".." from paths, and would act on something else',
  tooManyAlike: 'this release cannot look it up, and too many client IDs contain it',
  sinceRelease: (task: string, release: string) => `This broker cannot ${task}: EMQX can since ${release}.`,
  invalidFilter: 'the topic filter is invalid',
  loginNeeded: (what: string) => `${what} need a dashboard login: an API key may not read or change them.`,
  bothRefused:
    'Neither an API key nor a dashboard login with this name and password is accepted. Wrong, disabled and expired API keys look alike. The login was tried once.',
  locked: (seconds: number) =>
    `The broker locked this dashboard account after failed logins. Wait ${roundDurationText(seconds)}, or use an API key.`,
  noToken: 'a login without a usable token',
  tokenRefused: 'it accepts the password, but not the token that it gave for it',
  exists: 'it already exists',
  invalid: 'it does not accept a value',
  noClient: 'there is no such client',
  silentNode: silentNodeTexts.silent,
  stoppedNode: 'the node is stopped or unknown',
  statusSilent: silentNodeTexts.status,
  noPlugin: 'there is no such plugin',
  notSubscribed: 'the client is not subscribed to it',
  otherObject: 'it describes another object',
  noSender: 'this API cannot set the sender of a message',
  users: 'Users',
  apiKeys: 'API keys',
} as const;
