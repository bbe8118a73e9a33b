import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { Text } from 'ink';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { afterEach, expect, test } from 'vitest';
import { createKeymap } from '../../../src/screens/keys.ts';
import { useConfirmKeys } from '../../../src/tui/components/confirm.tsx';
import type { CommandId } from '../../../src/tui/keys/bindings.ts';
import type { Keymap } from '../../../src/tui/keys/keymap.ts';
import { KeysProvider, type Pointer, useKeys, usePointer } from '../../../src/tui/keys/use-keys.ts';
import { selectCursorId } from '../../../src/tui/list/list-state.ts';
import { useListKeys, useListState, useListSync } from '../../../src/tui/list/use-list-state.ts';
import { createRig, endRigs, type Rig } from '../support/rig.tsx';

afterEach(endRigs);

const rows = Array.from({ length: 12 }, (_, index) => `row-${index}`);
const commandOf = {
  j: 'moveDown',
  k: 'moveUp',
  '\r': 'open',
  K: 'disconnect',
  y: 'confirmYes',
  n: 'confirmNo',
} as const;
type Key = keyof typeof commandOf;

/** One thing that happens: keys that come at once, the mouse, another keymap or size; then a pause. */
interface Step {
  readonly input: readonly Key[] | 'roll' | 'click' | 'keymap' | 'resize';
  readonly pause: 'none' | 'microtask' | 'tick' | 'turn';
}

const pause = fc.constantFrom<Step['pause']>('none', 'microtask', 'tick', 'turn');
const keys = fc.array(fc.constantFrom<Key>('j', 'j', 'j', 'k', '\r', 'K'), { minLength: 1, maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ input: keys, pause }) },
  // Where nothing is asked, these are letters without a command, and Enter after them in one burst is text.
  {
    weight: 2,
    arbitrary: fc.record({ input: fc.constantFrom<readonly Key[]>(['y'], ['n']), pause: fc.constant('turn') }),
  },
  { weight: 2, arbitrary: fc.record({ input: fc.constant('keymap'), pause }) },
  { weight: 1, arbitrary: fc.record({ input: fc.constant('resize'), pause }) },
  { weight: 3, arbitrary: fc.record({ input: fc.constantFrom('roll', 'click'), pause }) },
);

const pauses: { readonly [Of in Step['pause']]: () => Promise<unknown> | undefined } = {
  none: () => undefined,
  microtask: () => Promise.resolve(),
  tick: () => new Promise((resolve) => process.nextTick(resolve)),
  turn: () => turn(),
};

interface Entry {
  readonly command: CommandId;
  /** The row that it was about, and what the screen showed then. */
  readonly row?: string;
  readonly screen?: string;
}

interface Program {
  readonly rig: Rig;
  /** Every command that ran. */
  readonly log: readonly Entry[];
  readonly take: (step: Step) => Promise<void>;
  /** Answers what is asked with no, until moves arrive in the list again. */
  readonly settle: () => Promise<void>;
}

/** Opens a list whose rows are opened and asked about. */
function openProgram(): Program {
  const log: Entry[] = [];
  const listeners = new Set<() => void>();
  let pointer: Pointer | undefined;
  let keymap: Keymap = createKeymap({ isReadOnly: false });
  let columns = 100;
  let isTyped = false;
  const note = (row: string): void => {
    const last = log.pop();
    if (last === undefined) throw new Error('no command');
    log.push({ ...last, row, screen: rig.lines().join('\n') });
  };
  const Question = ({ row, onEnd }: { readonly row: string; readonly onEnd: () => void }): ReactNode => {
    useConfirmKeys({
      onConfirm: () => {
        note(row);
        onEnd();
      },
      onCancel: onEnd,
      onScroll: () => {},
    });
    return <Text>{`Disconnect ${row}?`}</Text>;
  };
  const List = (): ReactNode => {
    const mouse = usePointer();
    useEffect(() => {
      pointer = mouse;
    });
    const [asked, setAsked] = useState<string>();
    const list = useListState({ columnId: 'id', isReversed: false });
    const state = useListSync(list, rows, 20);
    const row = selectCursorId(state) ?? 'none';
    useListKeys(list, { onOpen: () => note(row), sorts: [] });
    useKeys('row', {
      disconnect: () => {
        note(row);
        setAsked(row);
      },
    });
    return (
      <>
        <Text>{`cursor ${row}.`}</Text>
        {asked !== undefined && <Question row={asked} onEnd={() => setAsked(undefined)} />}
      </>
    );
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const Root = (): ReactNode => (
    <KeysProvider
      keymap={useSyncExternalStore(subscribe, () => keymap)}
      onCommand={(command) => {
        log.push({ command });
      }}
    >
      <List />
    </KeysProvider>
  );
  const rig = createRig(<Root />);
  return {
    rig,
    log,
    async take({ input, pause: between }) {
      if (input === 'keymap') {
        keymap = createKeymap({ isReadOnly: false });
        for (const listener of listeners) listener();
      } else if (input === 'resize') {
        columns = 190 - columns;
        rig.resize(columns, 30);
      } else if (input === 'roll' || input === 'click') {
        // The terminal is read later, the mouse is not.
        if (isTyped) await turn();
        isTyped = false;
        if (input === 'roll') pointer?.roll('Down', 2);
        else pointer?.click('disconnect');
      } else {
        isTyped = true;
        rig.type(input.join(''));
      }
      await pauses[between]();
    },
    async settle() {
      for (let tries = 0; tries < 50; tries += 1) {
        for (let turns = 0; turns < 10; turns += 1) await turn();
        const { length } = log;
        rig.type(rig.lines().join('\n').includes('Disconnect row-') ? 'n' : 'k');
        for (let turns = 0; turns < 10 && log.length === length; turns += 1) await turn();
        if (log.at(-1)?.command === 'moveUp' && log.length === length + 1) return;
      }
      throw new Error(`The list does not get its keys: ${rig.lines().join('\n')}`);
    },
  };
}

/** Commands that were about another row than the cursor was on, or about one that was not on the screen. */
function wrongOf(log: readonly Entry[]): readonly Entry[] {
  let cursor = 0;
  let asked: string | undefined;
  return log.filter(({ command, row, screen }) => {
    if (command === 'moveDown') cursor = Math.min(cursor + 1, rows.length - 1);
    if (command === 'moveUp') cursor = Math.max(cursor - 1, 0);
    if (command === 'disconnect') asked = row;
    if (command === 'confirmYes') return row !== asked || screen?.includes(`Disconnect ${row}?`) !== true;
    return (
      (command === 'open' || command === 'disconnect') &&
      (row !== rows[cursor] || screen?.includes(`cursor ${row}.`) !== true)
    );
  });
}

test('keys typed in any bursts are about the row and the question that were on the screen, and none before a question is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
      async (scenes) => {
        const program = openProgram();
        await program.rig.until((text) => text.includes('cursor row-0.'));
        for (const scene of scenes) {
          const from = program.log.length;
          for (const each of scene) await program.take(each);
          await program.settle();
          const typed = scene.flatMap(({ input }): readonly Key[] =>
            input === 'roll' ? ['j', 'j'] : input === 'click' ? ['K'] : typeof input === 'string' ? [] : input,
          );
          const handled = typed.filter((key) => key !== 'y' && key !== 'n');
          const asking = handled.indexOf('K');
          const expected = (asking === -1 ? handled : handled.slice(0, asking + 1)).map((key) => commandOf[key]);
          expect(program.log.slice(from, from + expected.length).map(({ command }) => command)).toEqual(expected);
        }
        expect(wrongOf(program.log)).toEqual([]);
        program.rig.unmount();
      },
    ),
    { numRuns: 60 },
  );
});
