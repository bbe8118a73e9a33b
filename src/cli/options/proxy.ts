import { BlockList, isIP } from 'node:net';
import { UsageError } from '../errors.ts';
import { proxyTexts } from '../texts.ts';

export interface ProxyConfig {
  readonly url: string;
  readonly user: string | undefined;
  /** Must not be shown. */
  readonly password: string | undefined;
  readonly variable: string;
}

/**
 * Returns the proxy for a URL. Empty variables count as unset. @throws UsageError that names the variable, never its
 * value
 */
export function proxyFor(target: string, environment: NodeJS.ProcessEnv): ProxyConfig | undefined {
  const { protocol, hostname, port } = new URL(target);
  if (isLoopback(hostname)) return undefined;
  const names = [protocol === 'https:' ? 'https_proxy' : 'http_proxy', 'all_proxy'];
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  const variable = names.flatMap((name) => [name, name.toUpperCase()]).find(isSet);
  if (variable === undefined) return undefined;
  const exclusions = ['no_proxy', 'NO_PROXY'].find(isSet);
  if (
    exclusions !== undefined &&
    isExcluded(hostname, port === '' ? defaultPort(protocol) : Number(port), environment[exclusions] ?? '')
  )
    return undefined;
  return readProxy(variable, environment[variable] ?? '');
}

function readProxy(variable: string, value: string): ProxyConfig {
  const text = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') throw new UsageError(proxyTexts.notUrl(variable));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UsageError(proxyTexts.notSupported(variable));
  try {
    return {
      url: url.origin,
      user: url.username === '' ? undefined : decodeURIComponent(url.username),
      password: url.password === '' ? undefined : decodeURIComponent(url.password),
      variable,
    };
  } catch {
    throw new UsageError(proxyTexts.strayPercent(variable));
  }
}

/** Whether `no_proxy` excludes a host; `*.domain` matches subdomains only. */
function isExcluded(hostname: string, port: number, list: string): boolean {
  const host = plainHost(hostname);
  return list
    .split(/[\s,]+/u)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const withPort = /^(?<name>\[.+\]|[^:]+):(?<port>\d+)$/u.exec(entry)?.groups;
      if (withPort !== undefined && Number(withPort['port']) !== port) return false;
      const name = plainHost(withPort?.['name'] ?? entry);
      if (name === '*') return true;
      if (isIP(host) !== 0) return name === host || isInNetwork(host, name);
      const domain = name.replace(/^\*?\./u, '');
      return host.endsWith(`.${domain}`) || (host === domain && !name.startsWith('*'));
    });
}

function isInNetwork(address: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  const family = isIP(base);
  if (family === 0 || family !== isIP(address) || !/^\d{1,3}$/u.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(base, Number(bits), type);
  return list.check(address, type);
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.+)\]$/u, '$1')
    .replace(/(.)\.$/u, '$1');
}

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80;
}

export function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}
