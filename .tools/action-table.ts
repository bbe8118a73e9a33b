/** The table of actions in README.md: keys from the keymap, endpoints from the paths, the rest in words. */
import type { ActionName } from '../src/actions/action.ts';
import { type EndpointName, endpoints } from '../src/api/dialects/emq-v2/paths.ts';
import { type Variant, variants } from '../src/api/dialects/emq-v2/variants.ts';
import { allBindings, type CommandId, formatKey } from '../src/ui/keys/keymap.ts';

interface ActionRow {
  readonly action: string;
  readonly where: string;
  /** The last one is that of the menu, where the action has no key of its own. */
  readonly key: CommandId;
  readonly confirmation: string;
  /** What is sent, whichever of it the choice and the variant ask for. */
  readonly endpoints: readonly EndpointName[];
}

const rows: Readonly<Record<ActionName, ActionRow>> = {
  'disconnect-client': { action: 'disconnect a client', where: 'Clients, Sessions, Subscriptions, a client', key: 'disconnect', confirmation: 'y/N with the id in full; of marked ones a preview, then their number typed', endpoints: ['disconnectClient'] },
  'clear-acl-cache': { action: 'clear a client\'s ACL cache for a topic', where: 'the same', key: 'rowActions', confirmation: 'form, y/N', endpoints: ['clearAclCache'] },
  subscribe: { action: 'subscribe on behalf of a client', where: 'the same', key: 'subscribe', confirmation: 'form, y/N with the QoS that it replaces', endpoints: ['subscribe'] },
  unsubscribe: { action: 'unsubscribe on behalf of a client', where: 'the same', key: 'rowActions', confirmation: 'choice, y/N', endpoints: ['unsubscribe'] },
  publish: { action: 'publish a message', where: 'everywhere', key: 'publish', confirmation: 'form, y/N', endpoints: ['publish'] },
  'start-plugin': { action: 'start a plugin on a node or on all', where: 'Plugins', key: 'startPlugin', confirmation: 'y/N; its name typed for all nodes', endpoints: ['setPlugin', 'setNodePlugin'] },
  'stop-plugin': { action: 'stop a plugin on a node or on all', where: 'Plugins', key: 'stopPlugin', confirmation: 'y/N; its name typed for all nodes', endpoints: ['setPlugin', 'setNodePlugin'] },
  'change-setting': { action: 'change a hot setting on a node or on all', where: 'Settings', key: 'editSetting', confirmation: 'form, before → after, y/N; the key typed for all nodes', endpoints: ['changeSetting', 'changeNodeSetting'] },
  'replace-plugin-settings': { action: 'change the settings of a plugin on a node', where: 'Plugins, `Enter`', key: 'editPluginSettings', confirmation: 'form over the whole set, before → after, y/N', endpoints: ['replacePluginSettings'] },
  'add-user': { action: 'add a user', where: 'Users', key: 'addUser', confirmation: 'form, y/N', endpoints: ['addUser'] },
  'change-user-tags': { action: 'change the tags of a user', where: 'Users', key: 'changeTags', confirmation: 'form, before → after, y/N', endpoints: ['changeUserTags'] },
  'change-password': { action: 'change a password', where: 'Users', key: 'changePassword', confirmation: 'form with the old one, y/N', endpoints: ['changePassword'] },
  'delete-user': { action: 'delete a user', where: 'Users', key: 'deleteUser', confirmation: 'the name typed', endpoints: ['deleteUser'] },
  'check-credentials': { action: 'check a name and password', where: 'Users', key: 'checkPassword', confirmation: 'form, y/N', endpoints: ['checkCredentials'] },
};

/** Commands of the keymap that the table has. */
export const shownCommands: ReadonlySet<CommandId> = new Set(Object.values(rows).map(({ key }) => key));

const keyOf = (id: CommandId): string => allBindings.find((binding) => binding.id === id)?.keys.map((key) => `\`${formatKey(key)}\``).join(' ') ?? '';

const lacking = (name: EndpointName): Variant | undefined =>
  (['a', 'b'] as const).find((variant) => !endpoints[name].isIn(variants[variant].capabilities));

const endpointText = (name: EndpointName): string => {
  const { method, pattern } = endpoints[name];
  const path = pattern.slice(1).replaceAll(/:([a-zA-Z]+)/gu, '{$1}');
  const absent = lacking(name);
  return `\`${method} ${path}\`${absent === undefined ? '' : ` (variant ${absent === 'a' ? 'B' : 'A'})`}`;
};

/** GitHub markdown. */
export const actionsMarkdown = (): string => [
  '| action | where | key | asks | sends |',
  '|---|---|---|---|---|',
  ...Object.values(rows).map(({ action, where, key, confirmation, endpoints: sent }) =>
    `| ${action} | ${where} | ${keyOf(key)} | ${confirmation} | ${sent.map(endpointText).join(', ')} |`),
  '',
].join('\n');
