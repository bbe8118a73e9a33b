import { isIP } from 'node:net';

/** Whether a URL's host (IPv6 in brackets) stands for this machine. Where a name leads is checked when it is connected to. */
export function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

/** `localhost` and what is below it. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}
