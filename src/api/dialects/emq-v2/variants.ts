import { isObject } from '../../json.ts';
import type { Capabilities } from '../../management-api.ts';
import { entriesOf, isFlatMetrics } from './decode-figures.ts';
import type { Endpoint } from './paths.ts';
import { sessionFieldsOfA, sessionFieldsOfB } from './wire.ts';

/** The two variants of the interface (§9). */
export type Variant = 'a' | 'b';

/** The differences of a variant on the wire and to the outside. */
export interface VariantRules {
  readonly capabilities: Capabilities;
  /** Body fields of `PUT change_pwd/{username}` (§4.8). */
  readonly passwordFields: { readonly oldPassword: string; readonly newPassword: string };
  /** Which of the two sets of session fields the server writes (§2.5). */
  readonly sessionFields: 'a' | 'b';
  /** How the server writes cluster-wide statistics (§4.1). */
  readonly statsShape: 'object-by-node' | 'array-of-single-key-objects';
  /** Plugins that this variant has and the other lacks (§2.8), without the product prefix. */
  readonly extraPlugins: readonly string[];
}

/** The differences of the variants (§9). Nothing else asks which variant it is. */
export const variants: Readonly<Record<Variant, VariantRules>> = {
  a: {
    capabilities: {
      unsubscribe: false,
      settings: false,
      nodeSubscriptionsOfClient: false,
      pluginPerNode: false,
      sessionTotals: false,
      metricsByNode: true,
      apiName: 'variant A of the interface',
      apiShortName: 'variant A',
    },
    passwordFields: { oldPassword: 'oldpassword', newPassword: 'password' },
    sessionFields: 'a',
    statsShape: 'object-by-node',
    extraPlugins: ['lwm2m'],
  },
  b: {
    capabilities: {
      unsubscribe: true,
      settings: true,
      nodeSubscriptionsOfClient: true,
      pluginPerNode: true,
      sessionTotals: true,
      metricsByNode: false,
      apiName: 'variant B of the interface',
      apiShortName: 'variant B',
    },
    passwordFields: { oldPassword: 'old_pwd', newPassword: 'new_pwd' },
    sessionFields: 'b',
    statsShape: 'array-of-single-key-objects',
    extraPlugins: [],
  },
};

/** Which variant the broker speaks, and how this is known, as a phrase. */
export interface VariantKnowledge {
  readonly variant: Variant | undefined;
  readonly because: string;
  /** A sentence, when a variant was given and answers are those of the other. */
  readonly doubt?: string | undefined;
}

/** What an answer shows about the broker. */
export interface Evidence {
  readonly variant: Variant;
  /** Weaker evidence does not replace stronger; of equal strength the latest counts. */
  readonly strength: number;
  readonly because: string;
  /** Capabilities that the answer proves, whatever the variant: real brokers mix them. */
  readonly seen: Partial<Capabilities>;
}

/*
 * The order of evidence, strongest first:
 *  4  the names of session fields (§2.5): the specification and every broker seen agree on them;
 *  3  metrics in one flat object (§4.1): only Variant B does that;
 *  2  statistics: an object by node is A, an array is B (§4.1; real brokers of B put all nodes into one element);
 *  1  metrics by node: an object is A; an array is in no specification, but real brokers of B answer so.
 */

/** @throws ShapeError when these are no metrics */
export function evidenceOfMetrics(result: unknown): Evidence | undefined {
  if (entriesOf(result, 'metrics').length === 0) return undefined;
  if (isFlatMetrics(result)) {
    return { variant: 'b', strength: 3, because: 'its metrics come as one total', seen: { metricsByNode: false } };
  }
  const seen = { metricsByNode: true };
  return Array.isArray(result)
    ? { variant: 'b', strength: 1, because: 'its metrics come as a list', seen }
    : { variant: 'a', strength: 1, because: 'its metrics come by node', seen };
}

/** @throws ShapeError when these are no statistics */
export function evidenceOfStats(result: unknown): Evidence | undefined {
  if (entriesOf(result, 'statistics').length === 0) return undefined;
  return Array.isArray(result)
    ? { variant: 'b', strength: 2, because: 'its statistics come as a list', seen: {} }
    : { variant: 'a', strength: 2, because: 'its statistics come as one object by node', seen: {} };
}

/** `records` as they came; nothing can be told from none. */
export function evidenceOfSessions(records: readonly unknown[]): Evidence | undefined {
  for (const record of records) {
    if (!isObject(record)) continue;
    const has = (field: string): boolean => Object.hasOwn(record, field);
    if (sessionFieldsOfB.some(has)) {
      return { variant: 'b', strength: 4, because: 'its sessions have the fields of variant B', seen: { sessionTotals: true } };
    }
    if (sessionFieldsOfA.some(has)) {
      return { variant: 'a', strength: 4, because: 'its sessions have the fields of variant A', seen: { sessionTotals: false } };
    }
  }
  return undefined;
}

/** Metrics alone are too weak to raise a doubt. */
const minDoubtStrength = 2;

/** Recognises the variant from answers that come anyway, or keeps the one that was given. */
export class VariantDetector {
  readonly #isGiven: boolean;
  #knowledge: VariantKnowledge;
  #strength = 0;
  #seen: Partial<Capabilities> = {};
  #capabilities: Capabilities | undefined;

  constructor(setting: Variant | 'auto') {
    this.#isGiven = setting !== 'auto';
    this.#knowledge =
      setting === 'auto'
        ? { variant: undefined, because: 'no answer has told it yet' }
        : { variant: setting, because: 'it was given' };
    this.#capabilities = setting === 'auto' ? undefined : variants[setting].capabilities;
  }

  /** A sentence about a possible cause of a 404: the operator gave the variant, and the other one lacks the endpoint. */
  hintOf({ isIn }: Pick<Endpoint, 'isIn'>): string | undefined {
    const { variant } = this.#knowledge;
    if (!this.#isGiven || variant === undefined || isIn(variants[variant === 'a' ? 'b' : 'a'].capabilities)) return undefined;
    return `Or it is not the variant that --variant ${variant} says.`;
  }

  get knowledge(): VariantKnowledge {
    return this.#knowledge;
  }

  get rules(): VariantRules | undefined {
    return this.#knowledge.variant && variants[this.#knowledge.variant];
  }

  /** Those of the variant, corrected by what answers prove. The same object until something changes. */
  get capabilities(): Capabilities | undefined {
    return this.#capabilities;
  }

  observe(evidence: Evidence | undefined): void {
    if (!evidence) return;
    this.#learn(evidence);
    this.#see(evidence.seen);
  }

  #learn({ variant, strength, because }: Evidence): void {
    if (strength < this.#strength) return;
    this.#strength = strength;
    if (!this.#isGiven) this.#knowledge = { variant, because };
    else if (variant !== this.#knowledge.variant) {
      const given = this.#knowledge.variant;
      const doubt = `This looks like variant ${variant.toUpperCase()}, not ${given?.toUpperCase()} as --variant says: ${because}.`;
      this.#knowledge = {
        variant: given,
        because: `it was given, but ${because}, which is variant ${variant.toUpperCase()}`,
        ...(strength < minDoubtStrength ? {} : { doubt }),
      };
    } else this.#knowledge = { variant, because: 'it was given' };
  }

  #see(seen: Partial<Capabilities>): void {
    this.#seen = { ...this.#seen, ...seen };
    const rules = this.rules;
    if (!rules) return;
    const next: Capabilities = { ...rules.capabilities, ...this.#seen };
    const last: Readonly<Record<string, unknown>> | undefined = this.#capabilities && { ...this.#capabilities };
    if (!last || Object.entries(next).some(([name, value]) => last[name] !== value)) this.#capabilities = next;
  }
}
