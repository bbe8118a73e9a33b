import type { Action, ActionResult } from '../../src/actions/action.ts';
import { NoAnswerError } from '../../src/api/errors.ts';
import type { ManagementApi } from '../../src/api/management-api.ts';
import { capabilitiesOfB, setUpRunner } from '../actions/support.ts';
import { nodeInfo } from '../monitor/fake-api.ts';
import { createFullBroker, fullCapabilities } from '../support/full-broker.ts';

export const now = 1_772_374_000;

/** A broker whose clock stands still. `change` replaces calls. */
export function setUp(
  change: (parts: ReturnType<typeof createFullBroker>['parts']) => Partial<ManagementApi> = () => ({}),
) {
  const broker = createFullBroker(() => now);
  const rig = setUpRunner({
    capabilities: { ...capabilitiesOfB, ...fullCapabilities, banEndsSession: true },
    listNodes: async () => [nodeInfo('a'), nodeInfo('b', { clock: now })],
    ...broker.parts,
    ...change(broker.parts),
  });
  return { ...rig, broker };
}

/** The outcome, and what it led to. */
export async function follow(
  rig: ReturnType<typeof setUp>,
  action: Action,
): Promise<{ readonly result: ActionResult; readonly followUp: string | undefined }> {
  let followUp: string | undefined;
  const result = await rig.run(action, {
    onFollow: (follow) => {
      void follow((text) => {
        followUp = text;
      });
    },
  });
  await rig.clock.advance(10_000);
  return { result, followUp };
}

/** Takes effect, and its answer is lost. */
export const lost = async (effect: Promise<unknown>): Promise<never> => {
  await effect;
  throw new NoAnswerError();
};
