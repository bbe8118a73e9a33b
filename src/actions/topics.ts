const mostTopicBytes = 65_535;

function problemOfText(what: string, topic: string): string | undefined {
  if (topic === '') return `The ${what} is empty.`;
  if (topic.includes('\0')) return `The ${what} holds the character U+0000, which MQTT forbids.`;
  if (!topic.isWellFormed()) return `The ${what} is not valid Unicode.`;
  if (new TextEncoder().encode(topic).length > mostTopicBytes) return `The ${what} is longer than the ${mostTopicBytes} bytes that MQTT allows.`;
  return undefined;
}

/** Why nothing can be published to a topic, as a sentence; `undefined` when it can. */
export function problemOfTopic(topic: string): string | undefined {
  if (/[+#]/u.test(topic)) return 'Nothing can be published to a topic with the wildcards + or #.';
  return problemOfText('topic', topic);
}

/** Why nobody can subscribe to a topic filter, as a sentence; `undefined` when one can. */
export function problemOfFilter(filter: string): string | undefined {
  const levels = filter.split('/');
  if (levels.some((level) => level.length > 1 && /[+#]/u.test(level))) return 'The wildcards + and # stand for whole levels: a/+/b, a/#.';
  if (levels.slice(0, -1).includes('#')) return 'The wildcard # can only be the last level.';
  return problemOfText('topic filter', filter);
}

export const isQos = (qos: unknown): qos is 0 | 1 | 2 => qos === 0 || qos === 1 || qos === 2;
