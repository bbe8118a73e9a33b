import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chain, password, startChain, untilClosed } from '../contract/support.ts';
import { colorTheme } from '../tui/support/rig.tsx';
import { openChecked } from './checked-program.tsx';
import { rowsBelow } from './table.ts';
import { unescape } from './texts.ts';

/** Ids to disconnect, each with one that a mistake would hit instead. */
const meant = ['../users', 'a%2Fb', 'a+b', 'clients', '.', '..', '__proto__', '\u001B[2J', 'é'] as const;
const bystanders = ['users', 'a/b', 'a b', 'sessions', 'x', 'a%252Fb', 'constructor', '[2J', 'e\u0301'] as const;

let chain: Chain;
beforeAll(async () => {
  chain = await startChain('b');
});
afterAll(() => chain.close());

test('K disconnects the client under the cursor, and no other', async () => {
  const clients = new Map<string, MqttClient>();
  for (const id of [...meant, ...bystanders]) clients.set(id, await chain.connect(id));
  const connected = (): readonly string[] =>
    [...clients]
      .filter(([, client]) => client.connected)
      .map(([id]) => id)
      .toSorted();
  const judged = openChecked({ url: chain.broker.server.url, password, columns: 120, rows: 40, theme: colorTheme });
  const left = new Set(clients.keys());
  try {
    judged.type('4');
    for (const id of meant) {
      const rows = (): readonly string[] => rowsBelow(judged, 'CLIENT ID').lines;
      const idOf = (line: string): string => unescape(line.slice(1).split('  ', 1)[0] ?? '');
      const rowOf = (): number => rows().findIndex((line) => idOf(line) === id);
      const cursor = (): string | undefined =>
        rows()
          .filter((line) => line.startsWith('▸'))
          .map(idOf)[0];
      await judged.until(() => rowOf() !== -1 && cursor() !== undefined);
      // One step at a time, and by id: disconnected rows leave the list while the cursor moves.
      while (cursor() !== id) {
        const from = cursor();
        judged.type(rows().findIndex((line) => line.startsWith('▸')) < rowOf() ? 'j' : 'k');
        await judged.until(() => cursor() !== from);
      }
      const closed = untilClosed(clients.get(id) ?? (await chain.connect('never')));
      judged.type('K');
      await judged.until((text) => text.includes('Disconnect this client?'));
      await judged.agree(/── Done|Done/u);
      await closed;
      left.delete(id);
      expect(connected()).toEqual([...left].toSorted());
      judged.type('\r');
      await judged.until((text) => !text.includes('Done'));
    }
    expect(judged.faults()).toEqual([]);
  } finally {
    await judged.end();
  }
});
