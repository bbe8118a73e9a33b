/**
 * The settings and plugins of a real cluster (EMQ 2.3.11, two nodes), from recordings: its number formats, and its
 * silent restarts of plugins.
 */
import { readFileSync } from 'node:fs';
import { answer, type RawRequest, type RawServer, startRawServer, success } from './raw-http-server.ts';

export const emqNodes = ['emq@127.0.0.1', 'emq2@127.0.0.1'] as const;

interface WireSetting {
  readonly key: string;
  value: string;
  readonly datatpye: string;
  readonly app: string;
}

interface WirePlugin {
  readonly name: string;
  active: boolean;
}

/** A plugin's configuration file: `undefined` is a key that is commented out. */
type PluginFile = Map<string, string | undefined>;

interface EmqNode {
  readonly settings: readonly WireSetting[];
  readonly plugins: readonly WirePlugin[];
  readonly files: ReadonlyMap<string, PluginFile>;
  /** Plugins that cannot start until the node restarts. */
  readonly broken: Set<string>;
}

export interface EmqServer extends RawServer {
  /** Nodes that obey a request to all nodes; default: both. */
  readonly obeying: Set<string>;
  /** The value of a setting in force, whatever it reads back as. */
  inForce(node: string, key: string): string | undefined;
  /** A setting of a plugin, also if it is not listed. */
  inFile(node: string, plugin: string, key: string): string | undefined;
  /** The plugin does not come back from its next restart. */
  breakOnRestart(plugin: string): void;
  /** Request line and body of everything but GET. */
  readonly sent: readonly { readonly line: string; readonly body: unknown }[];
}

const recorded = (name: string): { readonly result: unknown } => {
  const recording = JSON.parse(
    readFileSync(new URL(`../fixtures/recordings/${name}.json`, import.meta.url), 'utf8'),
  ) as { readonly body: string };
  return JSON.parse(recording.body) as { readonly result: unknown };
};

/** A plugin with an unset key, which was not recorded. With an empty value it cannot start. */
const webHookFile: readonly (readonly [string, string | undefined])[] = [
  ['web.hook.api.url', 'http://127.0.0.1:8080'],
  ['web.hook.rule.client.connected.1', '{"action": "on_client_connected"}'],
  ['web.hook.rule.message.publish.1', undefined],
];

const createNode = (): EmqNode => {
  const file = (name: string): PluginFile =>
    new Map(
      (recorded(name).result as readonly { readonly key: string; readonly value: string }[]).map(({ key, value }) => [
        key,
        value,
      ]),
    );
  const plugins = recorded('cluster/get-nodes-node1-plugins').result as WirePlugin[];
  const files = new Map<string, PluginFile>([
    ['emq_web_hook', new Map(webHookFile)],
    [
      'emq_modules',
      new Map([
        ['module.presence.qos', '1'],
        ['module.subscription.1.topic', undefined],
      ]),
    ],
    [
      'emq_dashboard',
      new Map([
        ['dashboard.listener.http.access.$id', undefined],
        ['dashboard.listener.http.access.1', 'allow all'],
        ['dashboard.listener.http.max_clients', '512'],
      ]),
    ],
    ['emq_auth_http', file('cluster/get-nodes-node1-plugin-configs-emq-auth-http')],
    ['emq_retainer', file('single-node/get-nodes-node1-plugin-configs-emq-retainer-before-partial-put')],
  ]);
  for (const plugin of plugins) if (files.has(plugin.name)) plugin.active = true;
  return {
    settings: recorded('single-node/get-nodes-node1-configs-single-node').result as WireSetting[],
    plugins,
    files,
    broken: new Set(),
  };
};

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const unitBytes: Readonly<Record<string, number>> = { '': 1, KB: 1_024, MB: 1_048_576, GB: 1_073_741_824 };

/**
 * Returns what a value reads back as; `undefined` if it is refused, `'ignored'` if the broker accepts it and keeps the
 * old one.
 */
function normalise(type: string, value: string): { readonly value: string } | 'ignored' | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([a-zA-Z%]*)$/u.exec(value) ?? [];
  switch (type) {
    case 'integer, duration':
      return /^\d+$/u.test(value) ? { value } : normalise('duration', value);
    case 'integer':
      return /^\d+$/u.test(value) ? { value } : 'ignored';
    case 'duration':
      return amount === undefined || unitMs[unit] === undefined
        ? undefined
        : { value: String(Number(amount) * unitMs[unit]) };
    case 'bytesize':
      return amount === undefined || unitBytes[unit] === undefined
        ? undefined
        : { value: String(Number(amount) * unitBytes[unit]) };
    case 'percent':
      return amount === undefined || unit !== '%' ? undefined : { value: (Number(amount) / 100).toFixed(4) };
    case 'float':
      return amount === undefined || unit !== '' ? undefined : { value: Number(amount).toFixed(4) };
    case 'flag':
      return value === 'on' || value === 'off' ? { value: String(value === 'on') } : undefined;
    default:
      return { value };
  }
}

/** Whether a key is numbered, which is not listed where another key stands for all of them. */
const isInstance = (key: string, file: PluginFile): boolean =>
  /\.\d+$/u.test(key) && file.has(key.replace(/\d+$/u, '$id'));

const failure = (code: number, message?: string): Buffer =>
  answer(200, JSON.stringify({ code, message }), { 'content-type': 'application/json' });
const notFound = answer(404, '', { 'content-type': 'text/plain' });

/** Starts a cluster of two nodes on a free loopback port. */
export async function startEmqServer(): Promise<EmqServer> {
  const nodes = new Map<string, EmqNode>(emqNodes.map((name) => [name, createNode()]));
  const obeying = new Set<string>(emqNodes);
  const truth = new Map<string, string>();
  const breaking = new Set<string>();
  const sent: { line: string; body: unknown }[] = [];

  function change(
    names: readonly string[],
    app: string,
    { key, value }: { readonly key: string; readonly value: string },
  ): Buffer {
    for (const name of names) {
      const setting = nodes.get(name)?.settings.find((each) => each.key === key && each.app === app);
      const next = setting === undefined ? undefined : normalise(setting.datatpye, value);
      if (setting === undefined || next === undefined) return failure(102);
      if (next === 'ignored') continue;
      truth.set(`${name} ${key}`, next.value);
      // They take effect, but read back as before.
      if (key !== 'log.console.level' && setting.value !== 'undefined') setting.value = next.value;
    }
    return success();
  }

  function restart({ broken }: EmqNode, plugin: WirePlugin, file: PluginFile): void {
    if (plugin.active && (breaking.has(plugin.name) || [...file.values()].includes(''))) {
      plugin.active = false;
      broken.add(plugin.name);
    }
  }

  function replace(node: EmqNode, name: string, values: Readonly<Record<string, string>>): Buffer {
    const [plugin, file] = [node.plugins.find((each) => each.name === name), node.files.get(name)];
    if (plugin === undefined || file === undefined) return failure(102);
    for (const key of file.keys()) file.set(key, Object.hasOwn(values, key) ? values[key] : undefined);
    restart(node, plugin, file);
    return node.broken.has(name) && name === 'emq_modules' ? failure(102, 'unknown') : success();
  }

  function load(node: EmqNode, name: string, active: boolean): Buffer {
    const plugin = node.plugins.find((each) => each.name === name);
    if (plugin === undefined || (active && node.broken.has(name))) return failure(active ? 102 : 111, 'unknown');
    if (plugin.active === active) return active ? failure(110, 'already_started') : failure(111, 'not_started');
    plugin.active = active;
    return success();
  }

  function handle({ method, path, body }: RawRequest): Buffer {
    const [scope = '', name = '', what = '', item = ''] = path
      .replace(/^\/api\/v2\//u, '')
      .split('/')
      .map((part) => decodeURIComponent(part));
    const given: unknown = body === '' ? undefined : JSON.parse(body);
    if (method !== 'GET') sent.push({ line: `${method} ${path}`, body: given });
    if (scope === 'configs' && method === 'PUT')
      return change(
        emqNodes.filter((each) => obeying.has(each)),
        name,
        given as { readonly key: string; readonly value: string },
      );
    const node = scope === 'nodes' ? nodes.get(name) : undefined;
    if (node === undefined) return notFound;
    const file = node.files.get(item);
    switch (`${method} ${what}`) {
      case 'GET configs':
        return success(node.settings);
      case 'PUT configs':
        return change([name], item, given as { readonly key: string; readonly value: string });
      case 'GET plugins':
        return success(node.plugins);
      case 'PUT plugins':
        return load(node, item, (given as { readonly active: boolean }).active);
      case 'GET plugin_configs':
        return file === undefined
          ? notFound
          : success(
              [...file]
                .filter(([key]) => !isInstance(key, file))
                .map(([key, value]) => ({ key, value: value ?? '', desc: '', required: value !== undefined })),
            );
      case 'PUT plugin_configs':
        return replace(node, item, given as Readonly<Record<string, string>>);
      default:
        return notFound;
    }
  }

  const server = await startRawServer((request) => handle(request));
  return {
    ...server,
    obeying,
    sent,
    inForce: (node, key) => truth.get(`${node} ${key}`),
    inFile: (node, plugin, key) => nodes.get(node)?.files.get(plugin)?.get(key),
    breakOnRestart: (plugin) => {
      breaking.add(plugin);
    },
  };
}
