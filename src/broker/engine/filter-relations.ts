/** How the sets of topics behind two filters relate (3.1.1, section 4.7). */

/** A cheap way out for most pairs: each message is compared with each rule. */
function beginsApart(one: string, other: string): boolean {
  const [a, b] = [one.charAt(0), other.charAt(0)];
  return a !== b && a !== '+' && a !== '#' && b !== '+' && b !== '#';
}

/** A first level that is a wildcard does not match topics that begin with `$`. */
function isApart(wild: string | undefined, other: string | undefined): boolean {
  return (wild === '#' || wild === '+') && other?.startsWith('$') === true;
}

/** Whether there can be a topic that both filters match. */
export function overlaps(one: string, other: string): boolean {
  if (beginsApart(one, other)) return false;
  const [a, b] = [one.split('/'), other.split('/')];
  if (isApart(a[0], b[0]) || isApart(b[0], a[0])) return false;
  for (let at = 0; ; at += 1) {
    const [x, y] = [a[at], b[at]];
    // `a/#` matches `a` itself: an end on the other side is an overlap too.
    if (x === '#' || y === '#') return true;
    if (x === undefined || y === undefined) return x === y;
    if (x !== '+' && y !== '+' && x !== y) return false;
  }
}

/** Whether every topic that `narrow` matches is matched by `wide`. A topic name is a filter that matches itself. */
export function covers(wide: string, narrow: string): boolean {
  if (beginsApart(wide, narrow)) return false;
  const [w, n] = [wide.split('/'), narrow.split('/')];
  if (isApart(w[0], n[0])) return false;
  for (let at = 0; ; at += 1) {
    const [x, y] = [w[at], n[at]];
    if (x === '#') return true;
    if (y === '#') return false;
    if (x === undefined || y === undefined) return x === y;
    if (x !== '+' && x !== y) return false;
  }
}
