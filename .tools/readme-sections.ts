import { checks } from '../src/checks/registry.ts';
import { actionDefinitions } from '../src/resources/actions.ts';
import { type EndpointName, endpoints } from '../src/api/dialects/emq-v2/paths.ts';
import { type Variant, variants } from '../src/api/dialects/emq-v2/variants.ts';
import { endpoints as v5Endpoints } from '../src/api/dialects/emqx-v5/paths.ts';
import { dialects } from '../src/api/dialects/registry.ts';
import { formatKey } from '../src/tui/keys/keymap.ts';
import { definitionOf, screens, screenTitle } from '../src/screens/registry.ts';
import { allBindings, catalog } from '../src/screens/keys.ts';
import { commandOfAction } from '../src/actions/define-action.ts';

/**
 * Replaces the text between `<!-- name: … -->` and `<!-- /name -->`. `body` is the new text, or a function of the
 * current one.
 * @throws Error if there is no section of that name
 */
export function replaceSection(readme: string, name: string, body: string | ((before: string) => string)): string {
  const section = new RegExp(`(<!-- ${name}: [^>]*-->\n)([^]*?)(<!-- /${name} -->)`, 'u');
  if (!section.test(readme)) throw new Error(`The README has no section ${name}.`);
  return readme.replace(
    section,
    (_, start: string, before: string, end: string) =>
      `${start}\n${(typeof body === 'string' ? body : body(before)).trim()}\n\n${end}`,
  );
}

/** Endpoints of operations of API v2 that are not one endpoint of the same name. */
const endpointsOf: ReadonlyMap<string, readonly EndpointName[]> = new Map([
  ['startPlugin', ['setPlugin', 'setNodePlugin']],
  ['stopPlugin', ['setPlugin', 'setNodePlugin']],
  ['changeSetting', ['changeSetting', 'changeNodeSetting']],
]);

/** Endpoints of operations of API v5 that are not one endpoint of the same name. */
const v5Names: ReadonlyMap<string, readonly (keyof typeof v5Endpoints)[]> = new Map([
  ['setApiKeyEnabled', ['changeApiKey']],
  ['startIntegration', ['startConnector', 'startAction', 'startSource']],
  ['setRuleEnabled', ['changeRule']],
]);

const isV5Endpoint = (name: string): name is keyof typeof v5Endpoints => Object.hasOwn(v5Endpoints, name);

const isV2Endpoint = (name: string): name is EndpointName => Object.hasOwn(endpoints, name);

const keyOf = (id: string): string =>
  allBindings
    .find((binding) => binding.id === id)
    ?.keys.map((key) => `\`${formatKey(key)}\``)
    .join(' ') ?? '';

const lacking = (name: EndpointName): Variant | undefined =>
  (['a', 'b'] as const).find((variant) => !endpoints[name].isIn(variants[variant].capabilities));

const endpointText = (name: EndpointName): string => {
  const { method, pattern } = endpoints[name];
  const absent = lacking(name);
  return `\`${method} ${pathText(pattern)}\`${absent === undefined ? '' : ` (v2 ${absent === 'a' ? 'B' : 'A'})`}`;
};

const pathText = (pattern: string): string => pattern.slice(1).replaceAll(/:([a-zA-Z]+)/gu, '{$1}');

const sentBy = (operation: string): readonly string[] => {
  const ofV2 = endpointsOf.get(operation) ?? [operation].filter(isV2Endpoint);
  if (ofV2.length > 0) return ofV2.map(endpointText);
  return (v5Names.get(operation) ?? [operation].filter(isV5Endpoint)).map((name) => {
    const { method, pattern } = v5Endpoints[name];
    return `\`${method} ${pathText(pattern)}\` (API v5)`;
  });
};

/** The table of actions, from their definitions and the keymap. */
export const actionsMarkdown = (): string =>
  [
    '| action | where | key | asks | sends |',
    '|---|---|---|---|---|',
    ...actionDefinitions.map((action) => {
      const { label, where, confirmation, operations } = action;
      return `| ${label} | ${where} | ${keyOf(commandOfAction(action))} | ${confirmation} | ${operations.flatMap(sentBy).join(', ')} |`;
    }),
    '',
  ].join('\n');

/** The table of screens, from their definitions and the keymap. */
export const screensMarkdown = (): string =>
  [
    '| key | screen | keys of its own |',
    '|---|---|---|',
    ...screens.map(({ id }) => {
      const { key, title, parent, note } = definitionOf(id);
      const name =
        parent === undefined
          ? `**${title}**`
          : `**${title}** (${parent === 'more' ? (note ?? 'More') : `opened from ${screenTitle(screens.find((screen) => screen.id === parent)?.id ?? 'more')}`})`;
      const keys = allBindings
        .filter((binding) => catalog.screensWith(binding).some((screen) => screen.id === id))
        .map((binding) => `\`${formatKey(binding.keys[0] ?? '')}\` ${binding.label}`);
      return `| ${key === undefined ? '' : `\`${key}\``} | ${name} | ${keys.join(', ')} |`;
    }),
    '',
  ].join('\n');

const markdownTable = (...[head = [], ...rows]: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** Returns the table of dialects, from the registry. */
export const dialectsMarkdown = (): string =>
  markdownTable(
    ['dialect', 'brokers', 'base path', '`--api`', '`--variant`'],
    ...dialects.map(({ id, brokers, basePath, api, variants }) => [
      `[${id}](${id}/README.md)`,
      brokers,
      `\`${basePath}\``,
      `\`${api}\``,
      variants.map((variant) => `\`${variant}\``).join(', '),
    ]),
  );

/** Returns the table of checks, from their registry. */
export const checksMarkdown = (): string =>
  markdownTable(['check', 'finds'], ...checks.map(({ id, finds }) => [`\`${id}\``, finds]));

/** Returns the table of profiles of the embedded broker, from the registry of dialects. */
export const profilesMarkdown = (): string =>
  markdownTable(
    ['profile', 'API', 'as'],
    ...dialects.flatMap(({ api, profiles }) =>
      profiles.map((profile) => [
        `\`${profile.name}\``,
        'variant' in profile ? `${api}, variant ${profile.variant.toUpperCase()}` : api,
        profile.release,
      ]),
    ),
  );
