import type { ManagementApi } from '../management-api.ts';
import { createActions } from './actions.ts';
import { Caller } from './caller.ts';
import { createHttp } from './http.ts';
import type { HttpOptions } from './http.ts';
import { createReads } from './reads.ts';
import { VariantDetector } from './variant-detector.ts';
import type { VariantKnowledge } from './variant-detector.ts';
import type { Variant } from './variants.ts';

export interface HttpApiOptions extends HttpOptions {
  /** `auto`, the default, finds it out from the shape of answers. */
  readonly variant?: Variant | 'auto' | undefined;
}

/** The port over HTTP. */
export interface HttpApi extends ManagementApi {
  readonly variantKnowledge: VariantKnowledge;
  /** Calls `listener` when `variantKnowledge` or `capabilities` change; the answer ends that. */
  onVariantChange(listener: (knowledge: VariantKnowledge) => void): () => void;
  /** Ends what is in flight with `AbortedError` and closes every connection. */
  close(): Promise<void>;
}

/**
 * A client of the management interface, both variants. Sends nothing by itself.
 * @throws UnreachableError when `url` is no http(s) URL
 */
export function createHttpApi({ variant = 'auto', ...options }: HttpApiOptions): HttpApi {
  const http = createHttp(options);
  const detector = new VariantDetector(variant);
  const caller = new Caller(http, detector);
  return {
    get capabilities() {
      return detector.capabilities;
    },
    get variantDoubt() {
      return detector.knowledge.doubt;
    },
    get variantKnowledge() {
      return detector.knowledge;
    },
    onVariantChange: (listener) => detector.onChange(listener),
    close: () => http.close(),
    ...createReads(caller, detector),
    ...createActions(caller),
  };
}
