/** The table of actions in README.md, from their definitions and the key table. */
import { actionDefinitions } from '../src/actions/registry.ts';
import { type EndpointName, endpoints } from '../src/api/dialects/emq-v2/paths.ts';
import { type Variant, variants } from '../src/api/dialects/emq-v2/variants.ts';
import { allBindings, formatKey } from '../src/ui/keys/keymap.ts';

/** What the dialect sends for an operation, where that is not one endpoint of the same name. */
const endpointsOf: ReadonlyMap<string, readonly EndpointName[]> = new Map([
  ['startPlugin', ['setPlugin', 'setNodePlugin']],
  ['stopPlugin', ['setPlugin', 'setNodePlugin']],
  ['changeSetting', ['changeSetting', 'changeNodeSetting']],
]);

const isEndpoint = (name: string): name is EndpointName => Object.hasOwn(endpoints, name);

const keyOf = (id: string): string => allBindings.find((binding) => binding.id === id)?.keys.map((key) => `\`${formatKey(key)}\``).join(' ') ?? '';

const lacking = (name: EndpointName): Variant | undefined =>
  (['a', 'b'] as const).find((variant) => !endpoints[name].isIn(variants[variant].capabilities));

const endpointText = (name: EndpointName): string => {
  const { method, pattern } = endpoints[name];
  const path = pattern.slice(1).replaceAll(/:([a-zA-Z]+)/gu, '{$1}');
  const absent = lacking(name);
  return `\`${method} ${path}\`${absent === undefined ? '' : ` (variant ${absent === 'a' ? 'B' : 'A'})`}`;
};

const sentBy = (operation: string): readonly EndpointName[] => endpointsOf.get(operation) ?? [operation].filter(isEndpoint);

/** GitHub markdown. */
export const actionsMarkdown = (): string => [
  '| action | where | key | asks | sends |',
  '|---|---|---|---|---|',
  ...actionDefinitions.map(({ label, where, key, confirmation, operations }) =>
    `| ${label} | ${where} | ${keyOf(key)} | ${confirmation} | ${operations.flatMap(sentBy).map(endpointText).join(', ')} |`),
  '',
].join('\n');
