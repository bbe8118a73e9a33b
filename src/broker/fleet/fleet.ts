import { createMember, type FleetTarget, type LiveMember } from './member.ts';
import { planScenario, type Scenario } from './scenario.ts';

export type { FleetTarget } from './member.ts';

export interface FleetOptions {
  readonly size: number;
  readonly seed: number;
  readonly host: string;
  readonly targets: readonly [FleetTarget, ...FleetTarget[]];
  /** Over how long the connections are spread; 0 opens all at once. */
  readonly rampMs?: number | undefined;
  /** `mixed` when not given. */
  readonly scenario?: Scenario | undefined;
}

export interface Fleet {
  readonly members: readonly LiveMember[];
  connectedCount(): number;
  publishedCount(): number;
  /** Resolves when every member has been connected once at least. */
  readonly ready: Promise<void>;
  /** Drops every connection. */
  end(): void;
}

/** Members act on this beat: one timer for all of them instead of several each. */
const beatMs = 50;

/** A fleet of real MQTT clients on a cluster of this machine. The same seed gives the same fleet. */
export function startFleet({ size, seed, host, targets, rampMs = 3000, scenario = 'mixed' }: FleetOptions): Fleet {
  const startedAtMs = performance.now();
  const members = planScenario(scenario, { size, seed, nodes: targets.length })
    .map((member, index) => createMember(member, targets, host, rampMs * (index / size)));
  const waiting = new Set(members);
  let beat: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve) => {
    beat = setInterval(() => {
      const nowMs = performance.now() - startedAtMs;
      for (const member of members) member.tick(nowMs);
      if (waiting.size === 0) return;
      for (const member of waiting) if (member.isConnected()) waiting.delete(member);
      if (waiting.size === 0) resolve();
    }, beatMs);
  });
  return {
    members,
    ready,
    connectedCount: () => members.filter((member) => member.isConnected()).length,
    publishedCount: () => members.reduce((sum, member) => sum + member.publishedCount(), 0),
    end: () => {
      clearInterval(beat);
      for (const member of members) member.end();
    },
  };
}
