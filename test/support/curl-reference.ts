import { basePath } from '../../src/api/dialects/emq-v2/base-path.ts';
import { type EndpointName, endpoints } from '../../src/api/dialects/emq-v2/paths.ts';
import { defaultServerLimits } from '../../src/api/server/http-server.ts';
import { type Variant, variants } from '../../src/api/dialects/emq-v2/variants.ts';

/** The client that the curl lines act on. It must be connected while they run. */
export const sampleClient = 'sensor-1';

/** One request. Run in the order of the table, the requests undo each other's changes. */
interface Sample {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const node = 'broker1@127.0.0.1';
const clientId = sampleClient;
const topic = 'room/1';
const plugin = 'broker_plugin_template';
const username = 'operator';
const page = '?curr_page=1&page_size=100';

function samples(variant: Variant): Readonly<Record<EndpointName, Sample>> {
  const { oldPassword, newPassword } = variants[variant].passwordFields;
  const setting = { key: 'mqtt.session.max_inflight', value: '32' };
  return {
    listNodes: { path: endpoints.listNodes.build({}) },
    getNode: { path: endpoints.getNode.build({ node }) },
    listNodeStats: { path: endpoints.listNodeStats.build({}) },
    getNodeStats: { path: endpoints.getNodeStats.build({ node }) },
    listListeners: { path: endpoints.listListeners.build({}) },
    getListeners: { path: endpoints.getListeners.build({ node }) },
    listMetrics: { path: endpoints.listMetrics.build({}) },
    getMetrics: { path: endpoints.getMetrics.build({ node }) },
    listStats: { path: endpoints.listStats.build({}) },
    getStats: { path: endpoints.getStats.build({ node }) },

    listClients: { path: endpoints.listClients.build({ node }) + page },
    getNodeClient: { path: endpoints.getNodeClient.build({ node, clientId }) },
    getClient: { path: endpoints.getClient.build({ clientId }) },
    listSessions: { path: endpoints.listSessions.build({ node }) + page },
    getNodeSession: { path: endpoints.getNodeSession.build({ node, clientId }) },
    getSession: { path: endpoints.getSession.build({ clientId }) },

    subscribe: { path: endpoints.subscribe.build({}), body: { topic, qos: 1, client_id: clientId } },
    publish: {
      path: endpoints.publish.build({}),
      body: { topic, payload: '21.5', qos: 1, retain: false, client_id: 'http' },
    },
    listSubscriptions: { path: endpoints.listSubscriptions.build({ node }) + page },
    getNodeSubscriptions: { path: endpoints.getNodeSubscriptions.build({ node, clientId }) },
    getSubscriptions: { path: endpoints.getSubscriptions.build({ clientId }) },
    listRoutes: { path: endpoints.listRoutes.build({}) + page },
    getRoutes: { path: endpoints.getRoutes.build({ topic }) },
    unsubscribe: { path: endpoints.unsubscribe.build({}), body: { topic, client_id: clientId } },
    clearAclCache: { path: endpoints.clearAclCache.build({ clientId }), body: { topic } },
    disconnectClient: { path: endpoints.disconnectClient.build({ clientId }) },

    listPlugins: { path: endpoints.listPlugins.build({ node }) },
    setPlugin: { path: endpoints.setPlugin.build({ plugin }), body: { active: true } },
    setNodePlugin: { path: endpoints.setNodePlugin.build({ node, plugin }), body: { active: true } },

    listSettings: { path: endpoints.listSettings.build({}) },
    getSettings: { path: endpoints.getSettings.build({ node }) },
    changeSetting: { path: endpoints.changeSetting.build({ app: 'broker' }), body: setting },
    changeNodeSetting: { path: endpoints.changeNodeSetting.build({ node, app: 'broker' }), body: setting },
    getPluginSettings: { path: endpoints.getPluginSettings.build({ node, plugin: 'broker_auth_http' }) },
    replacePluginSettings: {
      path: endpoints.replacePluginSettings.build({ node, plugin: 'broker_auth_http' }),
      body: {
        'auth.http.auth_req': 'http://127.0.0.1:8991/mqtt/auth',
        'auth.http.auth_req.method': 'post',
        'auth.http.auth_req.params': 'clientid=%c,username=%u,password=%P',
      },
    },

    listUsers: { path: endpoints.listUsers.build({}) },
    addUser: { path: endpoints.addUser.build({}), body: { username, password: 'first', tags: 'user' } },
    changeUserTags: { path: endpoints.changeUserTags.build({ username }), body: { tags: 'administrator' } },
    checkCredentials: { path: endpoints.checkCredentials.build({}), body: { username, password: 'first' } },
    changePassword: {
      path: endpoints.changePassword.build({ username }),
      body: { [newPassword]: 'second', [oldPassword]: 'first' },
    },
    deleteUser: { path: endpoints.deleteUser.build({ username }) },
  };
}

function isEndpointName(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name);
}

/**
 * Returns one curl line for each endpoint of the variant. The lines use the environment variables `BROKER` and `LOGIN`.
 */
export function curlLines(variant: Variant): readonly string[] {
  const all = samples(variant);
  return Object.keys(all)
    .filter(isEndpointName)
    .filter((name) => endpoints[name].isIn(variants[variant].capabilities))
    .map((name) => {
      const { path, body } = all[name];
      const { method } = endpoints[name];
      const words = ['curl', '-s', '-u', '"$LOGIN"'];
      if (method !== (body === undefined ? 'GET' : 'POST')) words.push('-X', method);
      words.push(`"$BROKER${path}"`);
      if (body !== undefined) words.push('-d', `'${JSON.stringify(body)}'`);
      return words.join(' ');
    });
}

/** Returns the README section about the API by curl. */
export function curlMarkdown(): string {
  return [
    'For other clients. Set the URL that `brokertop broker` prints, and an admin user:',
    '',
    '```sh',
    `export BROKER=http://127.0.0.1:8080${basePath} LOGIN=admin:PASSWORD`,
    '```',
    '',
    'Percent-encode ids and topics in a path (`/` is `%2F`). Responses are HTTP 200 with a `code`, 0 for success, except:',
    '',
    '| status | when |',
    '|---|---|',
    '| 400 | bad percent-encoding, a raw `#` in the path, or an ambiguous message |',
    '| 401 | missing, wrong or repeated login |',
    '| 403 | cross-site request of a browser (`Sec-Fetch-Site`, `Origin`), except `GET` |',
    '| 404 | unknown path, read of an unknown or stopped node, invalid page, page size or QoS |',
    `| 408 | the request took longer than ${defaultServerLimits.requestMs / 1000} s to arrive (headers: ${defaultServerLimits.headersMs / 1000} s) |`,
    `| 413 | body over ${defaultServerLimits.bodyBytes / 1024} KiB |`,
    '| 417 | `Expect` other than `100-continue` |',
    '| 431 | headers over 16 KiB |',
    '',
    `At most ${defaultServerLimits.connections} connections are open. A further one replaces the longest idle connection without a valid login, or else the`,
    'first one whose login is being checked. If all have logged in, it is closed without a response.',
    '',
    'The tests run these commands in this order,',
    `with a client named \`${sampleClient}\` connected to the first node (\`mosquitto_sub -i ${sampleClient} -t a\`).`,
    '',
    ...(['b', 'a'] as const).flatMap((variant) => [
      `Variant ${variant.toUpperCase()} (\`brokertop broker --variant ${variant}\`):`,
      '',
      '```sh',
      ...curlLines(variant),
      '```',
      '',
    ]),
  ].join('\n');
}
