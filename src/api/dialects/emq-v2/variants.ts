import { isObject } from '../../json.ts';
import type { Capabilities } from '../../management-api.ts';
import { entriesOf, isFlatMetrics } from './decode.ts';
import type { Endpoint } from './paths.ts';
import { queueLimitSetting } from './settings.ts';
import { sessionFieldsOfA, sessionFieldsOfB } from './wire.ts';

export type Variant = 'a' | 'b';

export interface VariantRules {
  readonly capabilities: Capabilities;
  /** Names of fields in §4.8. */
  readonly passwordFields: { readonly oldPassword: string; readonly newPassword: string };
  readonly sessionFields: 'a' | 'b';
  /** The shape of statistics (§4.1). */
  readonly statsShape: 'object-by-node' | 'array-of-single-key-objects';
  readonly extraPlugins: readonly string[];
}

/** All differences of the variants (§9). */
export const variants: Readonly<Record<Variant, VariantRules>> = {
  a: {
    capabilities: {
      sessionCountersSeconds: 20,
      sessionCountersVary: true,
      unsubscribe: false,
      settings: false,
      nodeSubscriptionsOfClient: false,
      pluginPerNode: false,
      sessionTotals: false,
      metricsByNode: true,
      apiName: 'API v2 A',
    },
    passwordFields: { oldPassword: 'oldpassword', newPassword: 'password' },
    sessionFields: 'a',
    statsShape: 'object-by-node',
    extraPlugins: ['lwm2m'],
  },
  b: {
    capabilities: {
      sessionCountersSeconds: 20,
      sessionCountersVary: true,
      unsubscribe: true,
      settings: true,
      nodeSubscriptionsOfClient: true,
      pluginPerNode: true,
      sessionTotals: true,
      metricsByNode: false,
      queueLimitSetting,
      apiName: 'API v2 B',
    },
    passwordFields: { oldPassword: 'old_pwd', newPassword: 'new_pwd' },
    sessionFields: 'b',
    statsShape: 'array-of-single-key-objects',
    extraPlugins: [],
  },
};

const nameOf = (variant: Variant): string => `variant ${variant.toUpperCase()}`;

export const variantTexts = {
  label: (variant: Variant | undefined) => (variant === undefined ? 'API v2' : `API v2 ${variant.toUpperCase()}`),
  contradiction: (seen: Variant, given: Variant, evidence: string) =>
    `The broker looks like ${nameOf(seen)}, not ${given.toUpperCase()} (--variant): ${evidence}.`,
  maybeOther: (given: Variant) => `Or --variant ${given} is wrong for this broker.`,
  undetected: (task: string) => `Cannot ${task}: the API variant was not detected. Restart with --variant a or b.`,
  metricsAsTotal: 'its metrics are a cluster total',
  metricsAsList: 'its metrics are a list',
  metricsByNode: 'its metrics are an object by node',
  statsAsList: 'its statistics are a list',
  statsByNode: 'its statistics are an object by node',
  sessionFields: (variant: Variant) => `its sessions have the fields of ${nameOf(variant)}`,
};

export interface Evidence {
  readonly variant: Variant;
  /** Weaker evidence does not replace stronger; of equal strength the latest counts. */
  readonly strength: number;
  readonly text: string;
  /** Capabilities that the answer proves: real brokers mix variants. */
  readonly seen: Partial<Capabilities>;
}

/*
 * Strength of the evidence:
 *  4  names of session fields (§2.5);
 *  3  metrics in one flat object (§4.1): only B;
 *  2  statistics: an object by node is A, an array is B (§4.1; real brokers of B put all nodes into one element);
 *  1  metrics by node: an object is A; an array is undocumented, but real brokers of B send it.
 */

/** @throws ShapeError if these are not metrics */
export function evidenceOfMetrics(result: unknown): Evidence | undefined {
  if (entriesOf(result, 'metrics').length === 0) return undefined;
  if (isFlatMetrics(result)) {
    return { variant: 'b', strength: 3, text: variantTexts.metricsAsTotal, seen: { metricsByNode: false } };
  }
  const seen = { metricsByNode: true };
  return Array.isArray(result)
    ? { variant: 'b', strength: 1, text: variantTexts.metricsAsList, seen }
    : { variant: 'a', strength: 1, text: variantTexts.metricsByNode, seen };
}

/** @throws ShapeError if these are not statistics */
export function evidenceOfStats(result: unknown): Evidence | undefined {
  if (entriesOf(result, 'statistics').length === 0) return undefined;
  return Array.isArray(result)
    ? { variant: 'b', strength: 2, text: variantTexts.statsAsList, seen: {} }
    : { variant: 'a', strength: 2, text: variantTexts.statsByNode, seen: {} };
}

export function evidenceOfSessions(records: readonly unknown[]): Evidence | undefined {
  for (const record of records) {
    if (!isObject(record)) continue;
    const has = (field: string): boolean => Object.hasOwn(record, field);
    if (sessionFieldsOfB.some(has)) {
      return { variant: 'b', strength: 4, text: variantTexts.sessionFields('b'), seen: { sessionTotals: true } };
    }
    if (sessionFieldsOfA.some(has)) {
      return { variant: 'a', strength: 4, text: variantTexts.sessionFields('a'), seen: { sessionTotals: false } };
    }
  }
  return undefined;
}

/** Metrics alone are too weak to doubt the operator. */
const minDoubtStrength = 2;

export class VariantDetector {
  readonly #given: Variant | undefined;
  #variant: Variant | undefined;
  #doubt: string | undefined;
  #strength = 0;
  #seen: Partial<Capabilities> = {};
  #capabilities: Capabilities | undefined;

  constructor(setting: Variant | 'auto') {
    this.#given = setting === 'auto' ? undefined : setting;
    this.#variant = this.#given;
    this.#capabilities = this.rules?.capabilities;
  }

  get variant(): Variant | undefined {
    return this.#variant;
  }

  get doubt(): string | undefined {
    return this.#doubt;
  }

  hintOf({ isIn }: Pick<Endpoint, 'isIn'>): string | undefined {
    const given = this.#given;
    if (given === undefined || isIn(variants[given === 'a' ? 'b' : 'a'].capabilities)) return undefined;
    return variantTexts.maybeOther(given);
  }

  get rules(): VariantRules | undefined {
    return this.#variant && variants[this.#variant];
  }

  /** The variant's capabilities, corrected by answers. The same object until something changes. */
  get capabilities(): Capabilities | undefined {
    return this.#capabilities;
  }

  observe(evidence: Evidence | undefined): void {
    if (!evidence) return;
    this.#learn(evidence);
    this.#see(evidence.seen);
  }

  #learn({ variant, strength, text }: Evidence): void {
    if (strength < this.#strength) return;
    this.#strength = strength;
    const given = this.#given;
    if (given === undefined) this.#variant = variant;
    else
      this.#doubt =
        variant === given || strength < minDoubtStrength ? undefined : variantTexts.contradiction(variant, given, text);
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
