/** Rules of MQTT 3.1.1 section 4.7 for topic names and topic filters. */
function isTopicText(text: string, maxLevels: number): boolean {
  if (text === '' || text.includes('\0') || !text.isWellFormed() || Buffer.byteLength(text) > 65_535) return false;
  let levels = 1;
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) levels += 1;
  return levels <= maxLevels;
}

/** Whether a topic name is valid: not empty, well-formed, no wildcard, no U+0000, at most `maxLevels` levels. */
export function isValidTopic(topic: string, maxLevels: number): boolean {
  return !topic.includes('+') && !topic.includes('#') && isTopicText(topic, maxLevels);
}

/** Whether a topic filter is valid: `+` only as a whole level, `#` only as the whole last level. */
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
 * Cost of a filter in memory and matching, in levels; 0 without wildcards. Levels of filters with several
 * wildcards count eight times, because any number of those can match the same topic.
 */
export function filterCost(filter: string): number {
  const levels = filter.split('/');
  const wildcards = levels.filter((level) => level === '+' || level === '#').length;
  return wildcards === 0 ? 0 : levels.length * (wildcards === 1 ? 1 : 8);
}

/** Whether the first level is a wildcard; such a filter never matches a topic that starts with `$`. */
export function startsWithWildcard(filter: string): boolean {
  return filter.startsWith('+') || filter.startsWith('#');
}

/** Compiles a valid filter to a predicate for topics. */
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
