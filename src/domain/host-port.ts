/** `10.2.4.17:1883`, `[::1]:1883`: an IPv6 address is in brackets, without a port too. */
export function hostPort(host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  // Joined, it is one text from the beginning; a template of two is made into one when it is first looked into, and 100,000 are sorted.
  return port === undefined ? name : [name, port].join(':');
}
