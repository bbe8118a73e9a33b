import { type Integration, type IntegrationCounters, lostOf, type LossReason } from '../../domain/integrations.ts';
import type { ByNode } from '../../domain/node.ts';
import { type CounterRates, type Counters, createRateRecorder } from '../../monitor/counter-rates.ts';

/** The rates of a part on a node, per second, over the time between two readings. */
export interface IntegrationRates {
  readonly seconds: number;
  readonly matched: number | undefined;
  readonly succeeded: number | undefined;
  readonly lost: number | undefined;
  /** The reason for most of what was lost. */
  readonly mostly?: LossReason | undefined;
}

type Name = 'matched' | 'succeeded' | LossReason;

export const integrationKey = ({ kind, id }: Pick<Integration, 'kind' | 'id'>): string => `${kind} ${id}`;

const flat = ({ matched, succeeded, lost }: IntegrationCounters): Counters<Name> => ({ matched, succeeded, ...lost });

function ratesOf({ seconds, perSecond }: CounterRates<Name>): IntegrationRates {
  const { matched, succeeded, ...losses } = perSecond;
  const lost = Object.fromEntries(
    Object.entries(losses).filter(([, rate]) => rate !== undefined),
  ) as IntegrationCounters['lost'];
  const [most] = (Object.entries(lost) as [LossReason, number][])
    .filter(([, rate]) => rate > 0)
    .toSorted(([, a], [, b]) => b - a);
  return { seconds, matched, succeeded, lost: lostOf({ lost }), mostly: most?.[0] };
}

export interface IntegrationRateRecorder {
  /** Records a reading, and returns the rates that are known then, by kind and ID. */
  record(parts: readonly Integration[], atMs: number): ReadonlyMap<string, ByNode<IntegrationRates>>;
  /** Allows no rate across this moment. */
  breakRates(): void;
}

/** Keeps the counters of the last minute, of each part on each node. */
export function createIntegrationRates(): IntegrationRateRecorder {
  const recorder = createRateRecorder<Name>();
  const keyOn = (part: Integration, node: string): string => JSON.stringify([part.kind, part.id, node]);
  return {
    record(parts, atMs) {
      const rates = recorder.record(
        parts.flatMap((part) =>
          [...part.nodes].flatMap(([node, { counters }]) =>
            counters === undefined ? [] : [[keyOn(part, node), flat(counters)] as const],
          ),
        ),
        atMs,
      );
      return new Map(
        parts.map((part) => [
          integrationKey(part),
          new Map(
            [...part.nodes.keys()].flatMap((node) => {
              const found = rates.get(keyOn(part, node));
              return found === undefined ? [] : [[node, ratesOf(found)] as const];
            }),
          ),
        ]),
      );
    },
    breakRates: () => {
      recorder.breakRates();
    },
  };
}
