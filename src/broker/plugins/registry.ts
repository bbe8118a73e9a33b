import { authClientId, authUsername } from './auth-stored.ts';
import { createAuthHttp } from './auth-http.ts';
import { dashboard } from './dashboard.ts';
import { modules } from './modules.ts';
import { PluginError, type PluginDefinition } from './plugin.ts';
import { retainer } from './retainer.ts';
import { pluginTemplate } from './template.ts';
import { createWebHook } from './web-hook.ts';

/** Stands in for the product prefix of §2.8. */
export const pluginPrefix = 'broker_';

/** One that is listed and refuses to start. */
function unavailable(name: string, description: string, why: string): PluginDefinition {
  return {
    name,
    description,
    isActiveAtStart: false,
    settings: [],
    start: () => {
      throw new PluginError(why);
    },
  };
}

function needs(name: string, description: string, service: string): PluginDefinition {
  return unavailable(name, description, `It needs ${service}, which the embedded broker does not work with; ${pluginPrefix}auth_http can ask any service.`);
}

function notIncluded(name: string, description: string): PluginDefinition {
  return unavailable(name, description, 'It is not part of the embedded broker.');
}

/** Those that both variants have (§2.8). */
const common: readonly PluginDefinition[] = [
  authClientId,
  createAuthHttp(),
  needs('auth_jwt', 'Authentication with JWT', 'an issuer of tokens'),
  needs('auth_ldap', 'Authentication and access control with LDAP', 'an LDAP server'),
  needs('auth_mongo', 'Authentication and access control with MongoDB', 'a MongoDB server'),
  needs('auth_mysql', 'Authentication and access control with MySQL', 'a MySQL server'),
  needs('auth_pgsql', 'Authentication and access control with PostgreSQL', 'a PostgreSQL server'),
  needs('auth_redis', 'Authentication and access control with Redis', 'a Redis server'),
  authUsername,
  notIncluded('coap', 'CoAP gateway'),
  dashboard,
  notIncluded('lua_hook', 'Hooks in Lua'),
  modules,
  pluginTemplate,
  notIncluded('recon', 'Memory and process figures of the Erlang runtime'),
  notIncluded('reloader', 'Reloads changed code of the Erlang runtime'),
  retainer,
  notIncluded('sn', 'MQTT-SN gateway'),
  notIncluded('stomp', 'STOMP gateway'),
  createWebHook(),
];

/** Descriptions of plugins that one variant alone has. */
const extraDescriptions: Readonly<Record<string, string>> = { lwm2m: 'LwM2M gateway' };

/** All plugins of a variant in the order of their names; `extra` are those that it has beside the common ones. */
export function listPluginDefinitions(extra: readonly string[]): readonly PluginDefinition[] {
  const all = [...common, ...extra.map((name) => notIncluded(name, extraDescriptions[name] ?? name))];
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
