/** `10.2.4.17:1883`, `[::1]:1883`: an IPv6 address is in brackets, without a port too. */
export function hostPort(host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}
