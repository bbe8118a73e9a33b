import type { Dialect, DialectInfo, DialectSession, Transport } from '../../dialect.ts';
import type { ApiOperations, Capabilities } from '../../management-api.ts';
import { createActions } from './actions.ts';
import { Caller } from './caller.ts';
import { http } from './envelope.ts';
import { createReads } from './reads.ts';
import { type Variant, VariantDetector } from './variants.ts';

const isVariant = (version: string): version is Variant | 'auto' => version === 'a' || version === 'b' || version === 'auto';

class Session implements DialectSession {
  readonly #detector: VariantDetector;

  constructor(variant: Variant | 'auto') {
    this.#detector = new VariantDetector(variant);
  }

  get info(): DialectInfo {
    const { variant: version, because } = this.#detector.knowledge;
    return { version, label: version === undefined ? 'variant not known yet' : `variant ${version.toUpperCase()}`, because };
  }

  get capabilities(): Capabilities | undefined {
    return this.#detector.capabilities;
  }

  get variantDoubt(): string | undefined {
    return this.#detector.knowledge.doubt;
  }

  operations(transport: Transport): ApiOperations {
    const caller = new Caller(transport, this.#detector);
    return { ...createReads(caller, this.#detector), ...createActions(caller) };
  }
}

/** `/api/v2` of EMQ 2.x, in both variants. */
export const emqV2: Dialect = {
  id: 'emq-v2',
  title: 'EMQ 2.x, /api/v2',
  http,
  createSession(version) {
    if (!isVariant(version)) throw new TypeError(`emq-v2 has no variant ${version}`);
    return new Session(version);
  },
};
