import fc from 'fast-check';
import { it } from 'vitest';
import { sequence } from './property-commands.ts';
import { clientIds, Model } from './property-model.ts';
import { startChain } from './support.ts';

// The assertions are in the comparison after every step.
// oxlint-disable-next-line vitest/expect-expect
it('the API agrees with the clients after every step of a random sequence', async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const chain = await startChain('b');
      try {
        await fc.asyncModelRun(
          () => ({
            model: new Model(),
            real: { chain, clients: new Map(), received: new Map(clientIds.map((id) => [id, []])), published: 0 },
          }),
          steps,
        );
      } finally {
        await chain.close();
      }
    }),
    { numRuns: 8 },
  );
}, 120_000);
