import { type ReactNode, useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { useKeys } from '../../src/tui/keys/use-keys.ts';
import { ListMemoryProvider, placeKey, VisitIdContext } from '../../src/tui/list/list-state.ts';
import type { Place } from '../../src/screens/navigation.ts';
import { CurrentScreen } from '../../src/screens/current-screen.tsx';
import { createRig, endRigs } from '../tui/support/rig.tsx';
import { createFakeMonitor, propsOf, scanOf, sessionOf } from './list-fixtures.ts';
import { readingsOf } from '../support/readings.ts';
import { useJump } from '../../src/resources/view/use-jump.ts';

afterEach(endRigs);

const size = [80, 18] as const;
const jumps = {
  intervalDown: { screen: 'metrics', row: 'messages.dropped' },
  intervalUp: { screen: 'sessions', sort: { columnId: 'queue', isReversed: true } },
} as const;

/** A screen with two keys that jump; `1` goes to Sessions without a jump. */
const Places = ({ monitor }: { readonly monitor: ReturnType<typeof createFakeMonitor> }): ReactNode => {
  const [place, setPlace] = useState<Place>({ screen: 'sessions' });
  const jump = useJump(setPlace);
  useKeys('global', {
    intervalDown: () => {
      jump(jumps.intervalDown, 7);
    },
    intervalUp: () => {
      jump(jumps.intervalUp, 8);
    },
    screenOverview: () => {
      setPlace({ screen: 'sessions' });
    },
  });
  return (
    <VisitIdContext value={'visitId' in place ? place.visitId : undefined}>
      <CurrentScreen key={placeKey(place)} {...propsOf(monitor, size)} place={place} />
    </VisitIdContext>
  );
};

test('a jump selects its row, and its sort is for that visit only', async () => {
  const monitor = createFakeMonitor(
    readingsOf({ sessionScan: scanOf([sessionOf('a', { queueLength: 1 }), sessionOf('b', { queueLength: 9 })]) }),
  );
  const rig = createRig(
    <ListMemoryProvider>
      <Places monitor={monitor} />
    </ListMemoryProvider>,
    { columns: size[0], rows: size[1] },
  );
  await rig.until((text) => text.includes('sorted worst first'));
  rig.type('+');
  expect((await rig.until((text) => text.includes('COUNTER'))).find((line) => line.startsWith('▸'))).toContain(
    'messages.dropped',
  );
  rig.type('-');
  await rig.until((text) => text.includes('sorted by queue'));
  rig.type('1');
  await rig.until((text) => text.includes('sorted worst first'));
});
