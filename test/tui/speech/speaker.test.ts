import { expect, test } from 'vitest';
import { createSpeaker, type Spoken, spokenLine } from '../../../src/tui/speech/speaker.ts';

interface Rig extends ReturnType<typeof createSpeaker> {
  /** Returns what was said since the last call, after the screen has stood still. */
  readonly heard: () => readonly string[];
}

function speaker(screen: readonly string[] = []): Rig {
  const said: string[] = [];
  const timers = new Set<() => void>();
  const created = createSpeaker({
    write: (line) => {
      said.push(line);
    },
    screen: () => screen,
    setTimer: (run) => {
      timers.add(run);
      return () => {
        timers.delete(run);
      };
    },
  });
  return {
    ...created,
    heard: () => {
      for (const run of timers) if (timers.delete(run)) run();
      return said.splice(0);
    },
  };
}

const slots = { title: {}, row: {}, dialog: {} };
const row = (name: string, patch: Partial<Spoken> = {}): Spoken => ({
  rank: 'row',
  key: name,
  lines: () => [`${name}, queue ${patch.key ?? 0}`],
  ...patch,
});

test('says what appears, the title before the row, and nothing twice', () => {
  const rig = speaker();
  rig.show(slots.row, row('worker-1'));
  rig.show(slots.title, { rank: 'title', key: 'sessions', lines: () => ['Sessions'] });
  expect(rig.heard()).toEqual(['Sessions', 'worker-1, queue 0']);
  rig.show(slots.row, { ...row('worker-1'), lines: () => ['worker-1, queue 7'] });
  expect(rig.heard()).toEqual([]);
  rig.show(slots.row, row('worker-2'));
  expect(rig.heard()).toEqual(['worker-2, queue 0']);
});

test('a row that changes by itself waits for a key', () => {
  const rig = speaker();
  rig.show(slots.row, row('worker-1', { isOnKeyOnly: true }));
  expect(rig.heard()).toEqual(['worker-1, queue 0']);
  rig.show(slots.row, row('worker-2', { isOnKeyOnly: true }));
  expect(rig.heard()).toEqual([]);
  rig.noteKey();
  rig.show(slots.row, row('worker-3', { isOnKeyOnly: true }));
  expect(rig.heard()).toEqual(['worker-3, queue 0']);
});

test('of a dialog it says the lines that are new, and the line that the cursor came to', () => {
  const rig = speaker();
  const show = (...lines: readonly string[]): void => {
    rig.show(slots.dialog, { rank: 'dialog', lines: () => lines });
  };
  show('╭ Publish ─╮', '│ ▸ Topic  a │', '│   Payload  │');
  expect(rig.heard()).toEqual(['Publish', 'Topic, a', 'Payload']);
  show('╭ Publish ─╮', '│ ▸ Topic  ab │', '│   Payload  │');
  expect(rig.heard()).toEqual(['Topic, ab']);
  show('╭ Publish ─╮', '│   Topic  ab │', '│ ▸ Payload  │');
  expect(rig.heard()).toEqual(['Payload']);
});

test('after a dialog it says where one is', () => {
  const rig = speaker();
  rig.show(slots.row, row('worker-1'));
  rig.show(slots.dialog, { rank: 'dialog', lines: () => ['Sure?'] });
  expect(rig.heard()).toEqual(['Sure?', 'worker-1, queue 0']);
  rig.hide(slots.dialog);
  expect(rig.heard()).toEqual(['worker-1, queue 0']);
});

test('says announcements first, and reads the screen without what is only drawn', () => {
  const rig = speaker([
    '╭ Problems ──╮',
    '│            │',
    '│ \u001B[31mCRITICAL\u001B[39m   worker-1 │',
    '⣿⣿⣶⣤ ',
    '╰────────────╯',
  ]);
  rig.show(slots.row, row('worker-1'));
  rig.announce('Problem: worker-1 loses 3 msg/s');
  expect(rig.heard()).toEqual(['Problem: worker-1 loses 3 msg/s', 'worker-1, queue 0']);
  rig.readScreen();
  expect(rig.heard()).toEqual(['Problems', 'CRITICAL, worker-1']);
});

test('what is still to be said is said at the end', () => {
  const said: string[] = [];
  const created = createSpeaker({
    write: (line) => {
      said.push(line);
    },
    screen: () => [],
    setTimer: () => () => {},
  });
  created.announce('Done');
  expect(said).toEqual([]);
  created.end();
  expect(said).toEqual(['Done']);
});

test.each([
  ['│ inflight ! 32/32   ▼ │', 'inflight attention 32/32'],
  ['\u001B[1mqueue\u001B[22m  –', 'queue, unknown'],
  ['··· still watching', 'still watching'],
  ['2 critical · 3 warnings', '2 critical, 3 warnings'],
  ['what!', 'what!'],
])('says %j as %j', (line, said) => {
  expect(spokenLine(line)).toBe(said);
});
