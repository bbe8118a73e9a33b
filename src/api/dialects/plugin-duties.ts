import type { PluginDuty } from '../../domain/administration.ts';

const duties: readonly (readonly [name: RegExp, duty: PluginDuty])[] = [
  [/(?:^|_)(?:auth|acl|psk)/u, 'access'],
  [/(?:^|_)(?:management|dashboard)$/u, 'management'],
  [/(?:^|_)retainer$/u, 'retaining'],
  [/(?:^|_)web_?hook$/u, 'web-hook'],
];

/** Returns what a plugin of these brokers is for, by its name, whose prefix differs between releases. */
export const pluginDuty = (name: string): PluginDuty | undefined => duties.find(([pattern]) => pattern.test(name))?.[1];
