/** What the broker tells the process that started it, once it serves. It goes through the channel alone: it holds the password. */
export interface BrokerReport {
  readonly ready: true;
  /** Of the management interface, without the path prefix. */
  readonly url: string;
  readonly variant: 'a' | 'b';
  readonly user: string;
  /** Empty when the administrators were kept from an earlier run, which nobody knows the passwords of. */
  readonly password: string;
  /** One for each node, in their order. */
  readonly nodes: readonly string[];
  readonly mqttPorts: readonly number[];
  readonly wsPorts: readonly number[];
}

function isListOf(type: 'string' | 'number', value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === type);
}

export function isBrokerReport(message: unknown): message is BrokerReport {
  if (typeof message !== 'object' || message === null) return false;
  const { ready, url, variant, user, password, nodes, mqttPorts, wsPorts }: Partial<Record<keyof BrokerReport, unknown>> = message;
  return ready === true
    && typeof url === 'string' && (variant === 'a' || variant === 'b')
    && typeof user === 'string' && typeof password === 'string'
    && isListOf('string', nodes) && isListOf('number', mqttPorts) && isListOf('number', wsPorts);
}
