/** Whether a text may be a topic or filter (MQTT 3.1.1, 4.7). */
function isTopicText(text: string, maxLevels: number): boolean {
  if (text === '' || text.includes('\0') || !text.isWellFormed() || Buffer.byteLength(text) > 65_535) return false;
  let levels = 1;
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) levels += 1;
  return levels <= maxLevels;
}

export function isValidTopic(topic: string, maxLevels: number): boolean {
  return !topic.includes('+') && !topic.includes('#') && isTopicText(topic, maxLevels);
}

export function isValidFilter(filter: string, maxLevels: number): boolean {
  if (!isTopicText(filter, maxLevels)) return false;
  if (!hasWildcard(filter)) return true;
  const levels = filter.split('/');
  return levels.every((level, index) => {
    if (level === '#') return index === levels.length - 1;
    return level === '+' || !hasWildcard(level);
  });
}

export function hasWildcard(filter: string): boolean {
  return filter.includes('+') || filter.includes('#');
}

/**
 * The cost of a filter, in levels; 0 without wildcards. Several wildcards cost eight times as much: any number of such
 * filters can match one topic.
 */
export function filterCost(filter: string): number {
  const levels = filter.split('/');
  const wildcards = levels.filter((level) => level === '+' || level === '#').length;
  return wildcards === 0 ? 0 : levels.length * (wildcards === 1 ? 1 : 8);
}

function startsWithWildcard(filter: string): boolean {
  return filter.startsWith('+') || filter.startsWith('#');
}

export function topicMatcher(filter: string): (topic: string) => boolean {
  if (!hasWildcard(filter)) return (topic) => topic === filter;
  const levels = filter.split('/');
  const open = levels.at(-1) === '#';
  if (open) levels.pop();
  const wildFirst = startsWithWildcard(filter);
  const firstWild = levels.indexOf('+');
  // A cheap check first: most topics differ before the first wildcard.
  const prefix = levels.slice(0, firstWild === -1 ? levels.length : firstWild).join('/');
  return (topic) => {
    if (!topic.startsWith(prefix) || (wildFirst && topic.startsWith('$'))) return false;
    const parts = topic.split('/');
    if (open ? parts.length < levels.length : parts.length !== levels.length) return false;
    return levels.every((level, index) => level === '+' || level === parts[index]);
  };
}
