import type { PluginSetting } from '../../../../domain/administration.ts';
import type { NodeName } from '../../../../domain/node.ts';
import type { ServedApi, ServedFaults } from '../../../dialect.ts';
import type { TemplateSettings } from './profiles.ts';

type SettingsApi = Pick<ServedApi, 'getPluginSettings' | 'replacePluginSettings'>;

interface Kept {
  listed: ReadonlyMap<string, string>;
  instances: ReadonlyMap<string, string>;
}

/**
 * Serves plugins that have template keys. Numbered instances are in force, but not listed, and lost with the next
 * change.
 */
export function withTemplateSettings(
  api: SettingsApi,
  templates: Readonly<Record<string, TemplateSettings>>,
  faults: ServedFaults | undefined,
): SettingsApi {
  const { getPluginSettings, replacePluginSettings } = api;
  if (getPluginSettings === undefined || replacePluginSettings === undefined) return {};
  const all = new Map<string, Kept>();
  const templatesOf = (plugin: string): TemplateSettings | undefined =>
    Object.hasOwn(templates, plugin) ? templates[plugin] : undefined;
  const keptOf = (node: NodeName, plugin: string, { listed, instances }: TemplateSettings): Kept => {
    const key = `${node} ${plugin}`;
    const kept = all.get(key) ?? {
      listed: new Map(Object.entries(listed).map(([name, { value }]) => [name, value])),
      instances: new Map(Object.entries(instances)),
    };
    all.set(key, kept);
    return kept;
  };
  return {
    getPluginSettings: async (node, plugin, options) => {
      const own = await getPluginSettings(node, plugin, options);
      const template = templatesOf(plugin);
      if (template === undefined) return own;
      const { listed } = keptOf(node, plugin, template);
      const rows = Object.entries(template.listed).map(([key, { required }]): PluginSetting => ({
        key,
        value: listed.get(key) ?? '',
        description: '',
        required,
      }));
      return [...rows, ...own];
    },
    replacePluginSettings: async (node, plugin, settings, options) => {
      const template = templatesOf(plugin);
      if (template === undefined) return replacePluginSettings(node, plugin, settings, options);
      const isOfTemplate = ([key]: readonly [string, string]): boolean =>
        Object.hasOwn(template.listed, key) || Object.hasOwn(template.instances, key);
      const given = Object.entries(settings);
      await replacePluginSettings(
        node,
        plugin,
        Object.fromEntries(given.filter((entry) => !isOfTemplate(entry))),
        options,
      );
      const kept = keptOf(node, plugin, template);
      for (const key of kept.instances.keys())
        if (!Object.hasOwn(settings, key)) faults?.lostSettings.push(`${node} ${plugin} ${key}`);
      kept.instances = new Map(given.filter(([key]) => Object.hasOwn(template.instances, key)));
      kept.listed = new Map(given.filter(([key]) => Object.hasOwn(template.listed, key)));
    },
  };
}
