import type { Dialect, DialectInfo, DialectSession, Transport } from '../../dialect.ts';
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

export const emqV2: Dialect = {
  http,
  createSession(version) {
    if (!isVariant(version)) throw new TypeError(`emq-v2 has no variant ${version}`);
    return new Session(version);
  },
};
