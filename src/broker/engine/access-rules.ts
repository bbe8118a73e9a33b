import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { AclAction, ClientIdentity } from './hooks.ts';
import { isValidFilter } from './topics.ts';

/** Whom a rule is about: everybody, or one client id, one user name, or an address or network (`10.0.0.0/8`, `::1`). */
export type AccessSubject =
  | 'all'
  | { readonly clientId: string }
  | { readonly username: string }
  | { readonly address: string };

/** One line of the access rules. */
export interface AccessRule {
  readonly permission: 'allow' | 'deny';
  readonly who: AccessSubject;
  readonly action: AclAction | 'pubsub';
  /** Topic filters; `%c` stands for the client id and `%u` for the user name. */
  readonly topics: readonly string[];
}

/** What nobody may publish to: it is where the cluster speaks itself. */
const systemTopics = '$SYS/#';

/** Only this machine may hear what the cluster says of itself; everything else is left to `mqtt.acl_nomatch`. */
export const defaultAccessRules: readonly AccessRule[] = [
  { permission: 'allow', who: { address: '127.0.0.0/8' }, action: 'subscribe', topics: [systemTopics] },
  { permission: 'allow', who: { address: '::1' }, action: 'subscribe', topics: [systemTopics] },
  { permission: 'deny', who: 'all', action: 'pubsub', topics: [systemTopics] },
];

interface CompiledRule {
  readonly rule: AccessRule;
  readonly matches: (client: ClientIdentity) => boolean;
}

const maxLevels = 128;

/**
 * Ordered rules about who may publish and subscribe; the first that applies decides. A rule that
 * denies applies to a filter that could match one of its topics, a rule that allows only to a filter
 * that can match nothing else: `#` does not get round a rule about `secret/#`.
 */
export class AccessRules {
  #rules: readonly CompiledRule[];

  /** @throws RangeError for a rule with an address or a topic filter that is none. */
  constructor(rules: readonly AccessRule[] = defaultAccessRules) {
    this.#rules = rules.map(compile);
  }

  get rules(): readonly AccessRule[] {
    return this.#rules.map(({ rule }) => rule);
  }

  /** Takes other rules. What is in the clients' ACL caches stays until it is cleared. @throws RangeError like the constructor; then nothing has changed. */
  replace(rules: readonly AccessRule[]): void {
    this.#rules = rules.map(compile);
  }

  /** Whether it is what nobody may do, whatever anybody else says: those who listen below `$SYS` must be able to believe it. */
  isReserved(action: AclAction, topic: string): boolean {
    return action === 'publish' && covers(systemTopics, topic);
  }

  /** Whether the client may; `undefined` when no rule says. `topic` is the filter when subscribing. */
  decide(client: ClientIdentity, action: AclAction, topic: string): boolean | undefined {
    if (this.isReserved(action, topic)) return false;
    for (const { rule, matches } of this.#rules) {
      if (rule.action !== 'pubsub' && rule.action !== action) continue;
      if (!matches(client)) continue;
      const isAllowing = rule.permission === 'allow';
      if (rule.topics.some((filter) => applies(filter, client, topic, isAllowing))) return isAllowing;
    }
    return undefined;
  }
}

function applies(filter: string, client: ClientIdentity, topic: string, isAllowing: boolean): boolean {
  const filled = substitute(filter, client, isAllowing);
  if (filled === undefined) return false;
  return isAllowing ? covers(filled, topic) : overlaps(filled, topic);
}

/**
 * The filter with the client's id and user name in it; `undefined` when it says nothing about this
 * client. A name with a wildcard or a slash would make a filter that the rule does not mean: such a
 * client is allowed nothing by it, and denied everything from that level on.
 */
function substitute(filter: string, { clientId, username }: ClientIdentity, isAllowing: boolean): string | undefined {
  if (!filter.includes('%')) return filter;
  const levels: string[] = [];
  for (const level of filter.split('/')) {
    if (level.includes('%u') && username === undefined) return undefined;
    const filled = level.replace(/%[cu]/gu, (mark) => (mark === '%c' ? clientId : username ?? ''));
    if (filled !== level && /[+#/]|^$/u.test(filled)) return isAllowing ? undefined : [...levels, '#'].join('/');
    levels.push(filled);
  }
  return levels.join('/');
}

function compile(rule: AccessRule): CompiledRule {
  for (const filter of rule.topics) {
    if (!isValidFilter(filter, maxLevels)) throw new RangeError(`${JSON.stringify(filter)} in an access rule is no topic filter.`);
  }
  return { rule, matches: compileSubject(rule.who) };
}

function compileSubject(who: AccessSubject): (client: ClientIdentity) => boolean {
  if (who === 'all') return () => true;
  if ('clientId' in who) return ({ clientId }) => clientId === who.clientId;
  if ('username' in who) return ({ username }) => username === who.username;
  const network = parseNetwork(who.address);
  return ({ ipAddress }) => ipAddress !== undefined && network.check(ipAddress, isIPv4(ipAddress) ? 'ipv4' : 'ipv6');
}

function parseNetwork(text: string): BlockList {
  const network = new BlockList();
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = prefix === undefined || !/^\d{1,3}$/u.test(prefix) ? undefined : Number(prefix);
  const type = isIPv4(address) ? 'ipv4' : 'ipv6';
  const isWrong = (type === 'ipv6' && !isIPv6(address)) || rest.length > 0
    || (prefix !== undefined && (bits === undefined || bits > (type === 'ipv4' ? 32 : 128)));
  if (isWrong) throw new RangeError(`${JSON.stringify(text)} in an access rule is no address or network.`);
  if (bits === undefined) network.addAddress(address, type);
  else network.addSubnet(address, bits, type);
  return network;
}

/** How the sets of topics behind two filters relate (3.1.1, section 4.7). */

/** A cheap way out for most pairs: each message is compared with each rule. */
function startsDifferently(one: string, other: string): boolean {
  const [a, b] = [one.charAt(0), other.charAt(0)];
  return a !== b && a !== '+' && a !== '#' && b !== '+' && b !== '#';
}

/** A first level that is a wildcard does not match topics that begin with `$`. */
function excludesSystemTopics(wild: string | undefined, other: string | undefined): boolean {
  return (wild === '#' || wild === '+') && other?.startsWith('$') === true;
}

/** Whether there can be a topic that both filters match. */
export function overlaps(one: string, other: string): boolean {
  if (startsDifferently(one, other)) return false;
  const [a, b] = [one.split('/'), other.split('/')];
  if (excludesSystemTopics(a[0], b[0]) || excludesSystemTopics(b[0], a[0])) return false;
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
  if (startsDifferently(wide, narrow)) return false;
  const [w, n] = [wide.split('/'), narrow.split('/')];
  if (excludesSystemTopics(w[0], n[0])) return false;
  for (let at = 0; ; at += 1) {
    const [x, y] = [w[at], n[at]];
    if (x === '#') return true;
    if (y === '#') return false;
    if (x === undefined || y === undefined) return x === y;
    if (x !== '+' && x !== y) return false;
  }
}
