import type { DialectInfo, DialectSession, RegisteredDialect, Transport } from '../../dialect.ts';
import { NoAnswerError } from '../../errors.ts';
import type { ApiOperations, Capabilities } from '../../management-api.ts';
import { SilentNodes } from '../silent-nodes.ts';
import { createActions, createReads } from './operations.ts';
import { Caller } from './caller.ts';
import { http } from './envelope.ts';
import { type Variant, VariantDetector, variantTexts } from './variants.ts';

const isVariant = (version: string): version is Variant | 'auto' =>
  version === 'a' || version === 'b' || version === 'auto';

class Session implements DialectSession {
  readonly #detector: VariantDetector;
  /** A broker that is asked for a node that does not run closes the connection. */
  readonly #nodes = new SilentNodes((error) => error instanceof NoAnswerError);

  constructor(variant: Variant | 'auto') {
    this.#detector = new VariantDetector(variant);
  }

  get info(): DialectInfo {
    const { variant } = this.#detector;
    return { version: variant, label: variantTexts.label(variant) };
  }

  get capabilities(): Capabilities | undefined {
    return this.#detector.capabilities;
  }

  get apiDoubt(): string | undefined {
    return this.#detector.doubt;
  }

  operations(transport: Transport): ApiOperations {
    const caller = new Caller(transport, this.#detector);
    return { ...createReads(caller, this.#detector, this.#nodes), ...createActions(caller) };
  }
}

export const emqV2 = {
  id: 'emq-v2',
  api: 'v2',
  brokers: 'EMQ 2.x',
  servedBroker: 'EMQ 2.x',
  defaultPort: 8080,
  variants: ['a', 'b'],
  servedVariant: 'b',
  profiles: [{ name: 'emq-2.3', release: 'EMQ 2.3.11', variant: 'b' }],
  // Refuses requests without a login, which says nothing about the broker.
  probe: { path: '/management/nodes', isAnswer: ({ status }) => status !== 404 },
  http,
  createSession(version) {
    if (!isVariant(version)) throw new TypeError(`emq-v2 has no variant ${version}`);
    return new Session(version);
  },
  loadServer: async () => (await import('./server/server.ts')).emqV2Server,
} as const satisfies RegisteredDialect;
