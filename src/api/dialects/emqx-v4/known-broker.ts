import type { NodeInfo } from '../../../domain/node.ts';
import { BrokerError, NotFoundError, NotSupportedError } from '../../errors.ts';
import type { CallOptions, Capabilities } from '../../management-api.ts';
import { createBrokerZone } from '../broker-zone.ts';
import type { Caller } from '../caller.ts';
import { decodeRows, Fields } from '../fields.ts';
import { SharedReads } from '../shared-reads.ts';
import { SilentNodes } from '../silent-nodes.ts';
import { endpoints } from './paths.ts';
import { v4Texts } from './texts.ts';

/** The capabilities of a broker, by its list of endpoints. */
export interface Offer {
  readonly isNanoMq: boolean;
  /** Users are offered at the port of the dashboard only. */
  readonly hasUsers: boolean;
  readonly hasBans: boolean;
  /** The names that the lists of alarms have. */
  readonly alarms: 'activated' | 'present' | undefined;
}

/** Capabilities that are offered unless the list of endpoints, which is asked for first, says otherwise. */
const usual: Offer = { isNanoMq: false, hasUsers: false, hasBans: true, alarms: 'activated' };

const nameOf = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/^\/|\/$/gu, '').replaceAll(/:\w+/gu, ':')}`;

/** @throws ShapeError */
export function decodeOffer(body: unknown): Offer {
  const names = new Set(
    decodeRows(Fields.of(body, 'endpoints').raw['data'], 'endpoints', (fields) => {
      const [method, path] = [fields.text('method'), fields.text('path')];
      return method === undefined || path === undefined ? undefined : nameOf(method, path);
    }),
  );
  return {
    isNanoMq: !names.has('GET stats'),
    hasUsers: names.has('GET users'),
    hasBans: names.has('GET banned'),
    alarms: names.has('GET alarms/activated') ? 'activated' : names.has('GET alarms/present') ? 'present' : undefined,
  };
}

type Release = readonly [major: number, minor: number, patch: number];

const releaseOf = (version: string | undefined): Release | undefined => {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/u.exec(version ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
};

const isBefore = (a: Release, b: Release): boolean => (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) < 0;

const nanoMq: Capabilities = {
  unsubscribe: false,
  settings: false,
  nodeSubscriptionsOfClient: false,
  pluginPerNode: false,
  sessionTotals: false,
  metricsByNode: false,
  users: false,
  apiName: v4Texts.nanoMq,
};

const capabilitiesOf = (offer: Offer, release: Release | undefined): Capabilities => ({
  unsubscribe: true,
  settings: false,
  nodeSubscriptionsOfClient: true,
  pluginPerNode: true,
  sessionTotals: true,
  sessionCountersSeconds: 15,
  metricsByNode: true,
  users: offer.hasUsers,
  isApiKey: !offer.hasUsers,
  clusterUsers: true,
  clearsWholeAclCache: true,
  disconnectEndsSession: true,
  banEndsSession: release !== undefined && !isBefore(release, [4, 4, 15]),
  alarmHistory: offer.alarms !== undefined,
  partitionAlarms: offer.alarms === 'activated',
  bans: offer.hasBans,
  reasonCounters: true,
  clientTraffic: true,
  clientSearch: true,
  apiName: v4Texts.name,
});

/** The client's knowledge of the broker; shared by all its addresses. */
export class KnownBroker extends SilentNodes {
  readonly zone = createBrokerZone();
  readonly #offers = new SharedReads<Offer>();
  #offer: Offer | undefined;
  /** The lowest release of the nodes. */
  #release: Release | undefined;
  #capabilities: Capabilities | undefined;

  constructor(now?: () => number) {
    super((error) => error instanceof BrokerError && error.brokerMessage === 'nodedown', now);
  }

  /** `undefined` until the endpoints are known. The same object until something changes. */
  get capabilities(): Capabilities | undefined {
    return this.#capabilities;
  }

  get isNanoMq(): boolean {
    return this.#offer?.isNanoMq === true;
  }

  /** Reads what the broker offers, once. @throws ApiError */
  async offer(caller: Caller, options: CallOptions | undefined): Promise<Offer> {
    return (
      this.#offer ??
      this.#offers.read('', options, async (shared) => {
        try {
          this.#offer = await caller.read(endpoints.listEndpoints.build({}), shared, decodeOffer);
        } catch (error) {
          // A proxy may let pass the paths below this one only.
          if (!(error instanceof NotFoundError)) throw error;
          this.#offer = usual;
        }
        this.#update();
        return this.#offer;
      })
    );
  }

  noteNodes(rows: readonly NodeInfo[]): void {
    const releases = rows.flatMap(({ version }) => {
      const release = releaseOf(version);
      return release === undefined ? [] : [release];
    });
    const [lowest] = releases.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
    if (lowest === undefined || String(lowest) === String(this.#release)) return;
    this.#release = lowest;
    this.#update();
  }

  /** Whether all nodes have this release or a newer one; `false` while that is unknown. */
  isAtLeast(...release: Release): boolean {
    return this.#release !== undefined && !isBefore(this.#release, release);
  }

  /** @throws NotSupportedError where users are not offered */
  requireUsers({ hasUsers, isNanoMq }: Offer, task: string): void {
    if (!hasUsers) throw new NotSupportedError(task, {}, isNanoMq ? undefined : v4Texts.loginNeeded);
  }

  #update(): void {
    if (this.#offer === undefined) return;
    this.#capabilities = this.#offer.isNanoMq ? nanoMq : capabilitiesOf(this.#offer, this.#release);
  }
}
