import type { IntegrationSetup } from './setup.ts';

/** Messages of a topic filter that are posted to an HTTP service. */
export interface TopicSink {
  readonly filter: string;
  readonly url: URL;
}

/** Messages that wait longer are lost. */
const requestTtlMs = 5_000;

/** Returns the names of the sinks: the first level of their topics, numbered where that is not enough. */
function namesOf(sinks: readonly TopicSink[]): readonly string[] {
  const taken = new Set<string>();
  return sinks.map(({ filter }) => {
    const level = filter.split('/')[0]?.replaceAll(/[^\w-]/gu, '') || 'all';
    let name = level;
    for (let number = 2; taken.has(name); number += 1) name = `${level}${number}`;
    taken.add(name);
    return name;
  });
}

/** Sets up a rule, an action and a connector for each. */
export function sinkSetup(sinks: readonly TopicSink[]): IntegrationSetup {
  const names = namesOf(sinks);
  const named = sinks.map((sink, index) => ({ ...sink, name: names[index] ?? '' }));
  return {
    connectors: named.map(({ name, url }) => ({ name, url })),
    actions: named.map(({ name }) => ({ name, connector: name, requestTtlMs })),
    rules: named.map(({ name, filter }) => ({ id: name, sql: `SELECT * FROM "${filter}"`, actions: [name] })),
  };
}
