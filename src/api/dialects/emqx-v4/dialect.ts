import type { Dialect, DialectInfo, DialectSession, Transport } from '../../dialect.ts';
import type { ApiOperations, Capabilities } from '../../management-api.ts';
import { Caller } from '../caller.ts';
import { createActions } from './actions.ts';
import { http } from './answer.ts';
import { openPage } from './decode-lists.ts';
import { KnownBroker } from './known-broker.ts';
import { pageQuery } from './paths.ts';
import { createReads } from './reads.ts';
import { v4Texts } from './texts.ts';

class Session implements DialectSession {
  readonly apiDoubt = undefined;
  readonly #known = new KnownBroker();

  get info(): DialectInfo {
    return { version: 'v4', label: this.#known.isNanoMq ? v4Texts.nanoMq : v4Texts.name };
  }

  get capabilities(): Capabilities | undefined {
    return this.#known.capabilities;
  }

  operations(transport: Transport): ApiOperations {
    const caller = new Caller(transport, { query: pageQuery, open: openPage });
    const reads = createReads(caller, this.#known);
    return { ...reads, ...createActions(caller, this.#known, reads) };
  }
}

export const emqxV4: Dialect = { http, createSession: () => new Session() };
