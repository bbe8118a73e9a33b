const maxBytes = 65_535;
const sharedPrefix = '$share/';
const queuePrefix = '$queue/';

/** Whether MQTT accepts a filter. The broker also accepts others, e.g. `a/#/b`. */
export function isValidFilter(filter: string): boolean {
  if (Buffer.byteLength(filter) > maxBytes || filter.includes('\0')) return false;
  if (filter.startsWith(queuePrefix)) return areValidLevels(filter.slice(queuePrefix.length));
  if (!filter.startsWith(sharedPrefix)) return areValidLevels(filter);
  const [group = '', ...levels] = filter.slice(sharedPrefix.length).split('/');
  return group !== '' && !/[+#]/u.test(group) && areValidLevels(levels.join('/'));
}

function areValidLevels(filter: string): boolean {
  const levels = filter.split('/');
  return (
    filter !== '' &&
    levels.every(
      (level, index) => level === '+' || (level === '#' && index === levels.length - 1) || !/[+#]/u.test(level),
    )
  );
}
