import { userTexts } from '../../../src/resources/users/texts.ts';
import { pluginSettingsRequest } from '../../../src/resources/plugin-settings/actions.ts';
import { settingRequest } from '../../../src/resources/settings/actions.ts';
import { pluginRequest } from '../../../src/resources/plugins/actions.ts';
import { initialActingState } from '../../../src/actions/acting-monitor.ts';
import { publishRequest } from '../../../src/resources/messages/actions.ts';
import {
  subscribeQuestion,
  subscribeRequest,
  unsubscribeRequest,
  readSubscriptionRequest,
  chooseSubscriptionRequest,
} from '../../../src/resources/subscriptions/actions.ts';
import {
  clearAclRequest,
  clearWholeAclRequest,
  disconnectRequest,
  endSessionRequest,
  disconnectByIdRequest,
  clearAclByIdRequest,
} from '../../../src/resources/clients/actions.ts';
import {
  deletionRequest,
  newUserRequest,
  passwordRequest,
  tagsRequest,
  checkRequest,
} from '../../../src/resources/users/actions.ts';
import { listenerRequest } from '../../../src/resources/listeners/actions.ts';
import { ruleRequest, startRequest } from '../../../src/resources/integrations/actions.ts';
import type { Integration } from '../../../src/domain/integrations.ts';
import { type IntegrationRow, integrationRows } from '../../../src/resources/integrations/select.ts';
import { clearHistoryRequest } from '../../../src/resources/alarms/actions.ts';
import { deleteRetainedRequest } from '../../../src/resources/retained/actions.ts';
import { deleteKeyRequest, enabledRequest, newKeyRequest } from '../../../src/resources/api-keys/actions.ts';
import {
  banClientRequest,
  liftRequest,
  newBanRequest,
  readBannedRequest,
} from '../../../src/resources/bans/actions.ts';
import {
  deleteRequest as deleteTraceRequest,
  newTraceRequest,
  stopRequest as stopTraceRequest,
  traceClientRequest,
} from '../../../src/resources/traces/actions.ts';
import type { DialogRequest, ConfirmRequest, DialogOrRefusal, FormRequest } from '../../../src/actions/requests.ts';
import { clientMenu } from '../../../src/resources/clients/view/client-keys.ts';
import {
  capabilitiesB,
  confirmed,
  confirmOf,
  formOf,
  pluginOf,
  settingOf,
} from '../../screens/administration-fixtures.tsx';
import { listenerOf, sessionOf } from '../../screens/list-fixtures.ts';
import { plainTheme as theme } from '../support/rig.tsx';
import { shownClient } from './harness.tsx';

/** Every dialog that the program can open about one name, which stands in all of its texts. */
export interface Dialogs {
  readonly questions: Readonly<Record<string, ConfirmRequest>>;
  /** Forms, with what is typed to go on. */
  readonly forms: Readonly<
    Record<string, { readonly form: FormRequest; readonly typed: Readonly<Record<string, string>> }>
  >;
  readonly others: Readonly<Record<string, DialogRequest>>;
}

const [here, there] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];

const requestOf = (asked: DialogOrRefusal): DialogRequest => {
  if ('refused' in asked) throw new Error(asked.refused);
  return asked.request;
};

export const dialogsFor = (id: string): Dialogs => {
  const client = shownClient(id);
  const subscription = { clientId: id, topic: id, qos: 1, node: here } as const;
  const user = { username: id, tags: id };
  const setting = {
    id: 'id',
    app: 'broker',
    key: id,
    dataType: 'string',
    byNode: new Map([here, there].map((node) => [node, settingOf(id, id)])),
    isDifferent: false,
  };
  const pluginRow = (name: string) => ({
    name,
    description: id,
    byNode: new Map([here, there].map((node) => [node, pluginOf(name, true)])),
    versions: [],
    activeCount: 2,
    knownCount: 2,
  });
  const stop = (name: string, node?: string): DialogRequest =>
    requestOf(
      pluginRequest(theme, {
        row: pluginRow(name),
        active: false,
        node,
        unread: [],
        stopped: [],
        capabilities: capabilitiesB,
      }),
    );
  const start: DialogOrRefusal = pluginRequest(theme, {
    row: { ...pluginRow(id), byNode: new Map([[here, pluginOf(id, false)]]) },
    active: true,
    node: here,
    unread: [],
    stopped: [],
    capabilities: capabilitiesB,
  });
  const values = [
    { key: id, value: id, description: id, required: true },
    { key: `${id}.password`, value: 'hunter2', description: '', required: false },
  ];

  const ban = { kind: 'client-id', value: id, reason: id, by: id, since: 1, until: undefined } as const;
  const apiKey = { name: id, key: id, description: id, isEnabled: true, createdAt: 1, expiresAt: undefined };
  const listener = listenerOf({ id, protocol: id, listen: id, running: 'yes' });
  const listenerRow = { key: id, node: id, listener, clients: { used: 1, limit: 2, share: 0.5 } };

  const rowOf = (part: Integration): IntegrationRow => {
    const [row] = integrationRows([part], new Map());
    if (row === undefined) throw new Error('no row');
    return row;
  };
  const integration = rowOf({
    kind: 'action',
    id,
    connector: id,
    isEnabled: true,
    nodes: new Map([[id, { status: 'disconnected', reason: id }]]),
  });
  const rule = (isEnabled: boolean): IntegrationRow =>
    rowOf({ kind: 'rule', id, name: id, sql: id, actions: [id], isEnabled, nodes: new Map() });

  // What MQTT does not allow is not banned.
  const bannable = id.replaceAll('\0', '').toWellFormed();
  const trace = {
    name: id,
    kind: 'client-id',
    value: id,
    status: 'running',
    startAt: 1,
    endAt: 2,
    logBytes: new Map([[id, 3]]),
    unparsed: {},
  } as const;
  const clientBan = banClientRequest(theme, { clientId: bannable, username: id, ipAddress: id });

  const forms: Dialogs['forms'] = {
    'a ban': { form: newBanRequest(theme), typed: { value: bannable, reason: id, duration: '1h' } },
    'a ban of many': {
      form: newBanRequest(theme),
      typed: { kind: 'client ID pattern', value: bannable, duration: 'never' },
    },
    'a new trace': { form: newTraceRequest(theme), typed: { value: bannable, duration: '5m' } },
    'a new API key': { form: newKeyRequest(theme, []), typed: { name: id, description: id } },
    'a subscription': { form: formOf(subscribeRequest(theme, { kind: 'client', client })), typed: { topic: 'a/#' } },
    'an ACL cache': {
      form: formOf(clearAclRequest(theme, shownClient(id.replaceAll('/', '')))),
      typed: { topic: 'a' },
    },
    'a message': { form: formOf(publishRequest(theme, async () => '')), typed: { topic: 'a', payload: id } },
    'a setting of one node': {
      form: formOf(requestOf(settingRequest(theme, { row: setting, node: here, unread: [], stopped: [] }))),
      typed: { value: 'b' },
    },
    'a setting of all nodes': {
      form: formOf(requestOf(settingRequest(theme, { row: setting, node: undefined, unread: [there], stopped: [] }))),
      typed: { value: 'b' },
    },
    'the settings of a plugin': {
      form: formOf(
        requestOf(pluginSettingsRequest(theme, { node: here, plugin: id, isActive: true, settings: values, key: id })),
      ),
      typed: { 'value 0': 'b' },
    },
    'a new user': {
      form: formOf(newUserRequest(theme, [])),
      typed: { username: id, tags: id, password: 'p', again: 'p' },
    },
    tags: { form: formOf(tagsRequest(theme, user, undefined)), typed: { tags: 'b' } },
    'the own tags': { form: formOf(tagsRequest(theme, user, id)), typed: { tags: 'b' } },
    'a password': {
      form: formOf(passwordRequest(theme, user, undefined)),
      typed: { old: 'o', password: 'p', again: 'p' },
    },
    'the own password': {
      form: formOf(passwordRequest(theme, user, id)),
      typed: { old: 'o', password: 'p', again: 'p' },
    },
    'a check of a password': { form: formOf(checkRequest(theme, id)), typed: { password: 'p' } },
  };

  const questions: Dialogs['questions'] = {
    disconnecting: disconnectRequest(theme, client),
    'clearing a whole ACL cache': clearWholeAclRequest(theme, client),
    'ending a session': endSessionRequest(theme, sessionOf(id, { node: here })),
    subscribing: subscribeQuestion(theme, { subscriber: { kind: 'client', client }, topic: 'a/#', qos: 0 }, [
      { ...subscription, topic: 'a/#' },
    ]),
    unsubscribing: unsubscribeRequest(theme, subscription),
    'starting a plugin on a node': confirmOf(requestOf(start)),
    'stopping a plugin on a node': confirmOf(stop(id, here)),
    'stopping a plugin on all nodes': confirmOf(stop(id)),
    'stopping what serves the interface': confirmOf(stop('broker_management')),
    'banning a client': confirmed(clientBan, {}),
    'clearing the alarm history': clearHistoryRequest(1_000),
    'tracing a client': confirmed(traceClientRequest(theme, bannable), { duration: '5m' }),
    'stopping a trace': confirmOf(requestOf(stopTraceRequest(theme, trace))),
    'deleting a trace': deleteTraceRequest(theme, trace),
    'lifting a ban': liftRequest(theme, ban),
    'deleting a retained message': deleteRetainedRequest(theme, {
      topic: id,
      qos: 1,
      publishedAt: 1,
      fromClientId: 'plc',
      fromUsername: undefined,
    }),
    'stopping a listener': confirmOf(requestOf(listenerRequest(theme, listener, [listenerRow], false))),
    'starting a listener': confirmOf(
      requestOf(
        listenerRequest(theme, listener, [{ ...listenerRow, listener: { ...listener, running: 'partly' } }], true),
      ),
    ),
    'connecting an integration again': confirmOf(requestOf(startRequest(theme, integration, [integration]))),
    'enabling a rule': confirmOf(requestOf(ruleRequest(theme, rule(false), true))),
    'disabling a rule': confirmOf(requestOf(ruleRequest(theme, rule(true), false))),
    'disabling an API key': confirmOf(requestOf(enabledRequest(theme, apiKey, false))),
    'deleting an API key': deleteKeyRequest(theme, apiKey),
    'deleting a user': confirmOf(requestOf(deletionRequest(theme, user, undefined))),
    'deleting the own user': confirmOf(requestOf(deletionRequest(theme, user, id))),
    ...Object.fromEntries(
      Object.entries(forms)
        .filter(([name]) => name !== 'a message' && name !== 'a subscription')
        .map(([name, { form, typed }]) => [`what the form of ${name} comes to`, confirmed(form, typed)]),
    ),
  };

  const others: Dialogs['others'] = {
    'the menu of a client': clientMenu(
      theme,
      {
        target: { subject: { kind: 'client', client } },
        state: () => ({ ...initialActingState(1), capabilities: capabilitiesB }),
      },
      undefined,
    ),
    'marked ones': {
      kind: 'bulk',
      targets: [
        { kind: 'client', client },
        { kind: 'client', client: shownClient('b') },
      ],
      changedIds: new Set(['b']),
      shownCount: 0,
    },
    'an id alone': disconnectByIdRequest(theme, id, here),
    'the clients that a ban concerns': readBannedRequest(theme, { kind: 'username', value: id }),
    'what is subscribed already': readSubscriptionRequest(theme, {
      subscriber: { kind: 'client', client },
      topic: id,
      qos: 0,
    }),
    'the ACL cache of an id alone': clearAclByIdRequest(theme, id, here),
    'a text in full': {
      kind: 'text',
      title: theme.escape(id.slice(0, 60)),
      parts: [{ label: theme.escape('value'), text: theme.escape(id) }],
    },
    'users at each address': {
      kind: 'read',
      title: theme.escape(id.slice(0, 60)),
      waiting: userTexts.readingAt(1),
      read: async () => ({ request: confirmOf(requestOf(deletionRequest(theme, user, undefined))) }),
    },
    'a ban of a client': clientBan,
    'which subscription': chooseSubscriptionRequest(theme, id, here),
  };

  return { questions, forms, others };
};
