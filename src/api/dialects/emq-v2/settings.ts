import type { Setting, SettingMeaning } from '../../../domain/administration.ts';

/** The setting that limits the queue of a session. */
export const queueLimitSetting = 'mqtt.mqueue.max_length';

/** The meanings of well-known settings, by key: the API lists their values and types only. */
const meanings: ReadonlyMap<string, SettingMeaning> = new Map<string, SettingMeaning>([
  [
    'log.console.level',
    {
      about:
        'The lowest severity that the broker logs to its console: debug, info, warning, error, or none to log nothing.',
      choices: ['debug', 'info', 'warning', 'error', 'none'],
    },
  ],
  [
    'mqtt.acl_nomatch',
    { about: 'Whether to allow a publish or subscribe that no ACL rule matches.', choices: ['allow', 'deny'] },
  ],
  ['mqtt.allow_anonymous', { about: 'Whether clients may connect without a username and password.' }],
  ['mqtt.cache_acl', { about: 'Whether ACL decisions are cached for each client.' }],
  [
    'mqtt.keepalive_backoff',
    { about: 'A client counts as gone when it sends nothing for keepalive × 2 × this value.' },
  ],
  ['mqtt.max_clientid_len', { about: 'The longest client ID that may connect.', counts: 'byte' }],
  ['mqtt.max_packet_size', { about: 'The largest packet that clients may send.', counts: 'byte' }],
  [
    queueLimitSetting,
    {
      about:
        'How many messages a session queues. When its queue is full, the broker drops messages, so a lower limit loses more of them. 0 means no limit.',
      counts: 'message',
      limitsQueue: true,
    },
  ],
  ['mqtt.mqueue.store_qos0', { about: 'Whether sessions queue QoS 0 messages for clients that are offline or slow.' }],
  [
    'mqtt.session.max_awaiting_rel',
    {
      about: 'How many QoS 2 messages of a client may wait for PUBREL. 0 means no limit.',
      counts: 'message',
    },
  ],
  [
    'mqtt.session.max_inflight',
    {
      about:
        'How many QoS 1 and 2 messages a client may leave unacknowledged before further ones are queued. 0 means no limit.',
      counts: 'message',
    },
  ],
]);

/** Settings that take effect but keep reading as before (field notes, "Actions"). */
const keysNotReadBack: ReadonlySet<string> = new Set(['log.console.level']);
const newSessionKeys = /^mqtt\.(?:session|mqueue)\./u;
const newConnectionKeys = /^mqtt\.(?:client\.|conn\.|keepalive_backoff$|max_(?:clientid_len|packet_size)$)/u;

function effectOf(app: string, key: string): Pick<Setting, 'appliesTo' | 'mayReadBackUnchanged'> {
  if (app === 'broker') return { appliesTo: 'all' };
  if (newSessionKeys.test(key)) return { appliesTo: 'new-sessions' };
  if (newConnectionKeys.test(key)) return { appliesTo: 'new-connections' };
  return keysNotReadBack.has(key) ? { mayReadBackUnchanged: true } : {};
}

/** Returns what is known of a setting by its key. */
export function settingTraits(
  app: string,
  key: string,
): Pick<Setting, 'appliesTo' | 'mayReadBackUnchanged' | 'meaning'> {
  const meaning = meanings.get(key);
  return { ...effectOf(app, key), ...(meaning !== undefined && { meaning }) };
}
