import { Text } from 'ink';
import { type ReactNode, useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { trusted } from '../../../src/terminal/safe-text.ts';
import { useConfirmKeys } from '../../../src/tui/components/confirm.tsx';
import { useMenu } from '../../../src/tui/components/menu.tsx';
import { useTextField } from '../../../src/tui/components/text-prompt.tsx';
import { KeyStack } from '../../../src/tui/keys/key-stack.ts';
import { useKeys } from '../../../src/tui/keys/use-keys.ts';
import { selectCursorId } from '../../../src/tui/list/list-state.ts';
import { useListKeys, useListState, useListSync } from '../../../src/tui/list/use-list-state.ts';
import { createRig, endRigs } from '../support/rig.tsx';
import { createKeymap } from '../../../src/screens/keys.ts';

afterEach(endRigs);
afterEach(() => {
  vi.useRealTimers();
});

const ids = Array.from({ length: 50 }, (_, index) => `c${index}`);

const List = ({ onOpen }: { readonly onOpen: () => void }): ReactNode => {
  const list = useListState({ columnId: 'id', isReversed: false });
  const state = useListSync(list, ids, 10);
  useListKeys(list, {
    onOpen,
    sorts: ['id', 'node'].map((columnId) => ({ columnId, isReversed: false, command: trusted(columnId) })),
  });
  return <Text>{`cursor ${selectCursorId(state) ?? 'none'} top ${state.top} sort ${state.sort.columnId}`}</Text>;
};

const Filter = ({ onEnd }: { readonly onEnd: (text: string) => void }): ReactNode => {
  const [field] = useTextField({
    onAccept: onEnd,
    onCancel: () => {
      onEnd('cancelled');
    },
  });
  return <Text>{`filter [${JSON.stringify(field.text)}] at ${field.cursor}`}</Text>;
};

const Palette = ({ onEnd }: { readonly onEnd: (text: string) => void }): ReactNode => {
  const [field] = useTextField();
  const selected = useMenu(
    ['one', 'two', 'three'].filter((id) => id.includes(field.text)),
    {
      onChoose: onEnd,
      onClose: () => {
        onEnd('closed');
      },
    },
  );
  return <Text>{`palette ${field.text} on ${selected ?? 'none'}`}</Text>;
};

const Question = ({ onEnd }: { readonly onEnd: (text: string) => void }): ReactNode => {
  useConfirmKeys({
    onConfirm: () => {
      onEnd('yes');
    },
    onCancel: () => {
      onEnd('no');
    },
    onScroll: () => {},
  });
  return <Text>question</Text>;
};

const App = (): ReactNode => {
  const [open, setOpen] = useState<'nothing' | 'filter' | 'palette' | 'question'>('nothing');
  const [said, setSaid] = useState('');
  const end = (text: string): void => {
    setSaid(text);
    setOpen('nothing');
  };
  useKeys('global', {
    palette: () => {
      setOpen('palette');
    },
    help: () => {
      setOpen('filter');
    },
    freeze: () => {
      setSaid('frozen');
    },
    quit: () => {
      setSaid('quit');
    },
  });
  return (
    <>
      <List
        onOpen={() => {
          setOpen('question');
        }}
      />
      {open === 'filter' && <Filter onEnd={end} />}
      {open === 'palette' && <Palette onEnd={end} />}
      {open === 'question' && <Question onEnd={end} />}
      <Text>{`said ${said}`}</Text>
    </>
  );
};

describe('the mouse', () => {
  const keymap = createKeymap({ isReadOnly: false });
  const createStack = () => {
    const done: string[] = [];
    const stack = new KeyStack(keymap, { settleMs: 0 });
    const say = (text: string) => () => {
      done.push(text);
    };
    stack.push('global', () => ({ scope: 'global', handlers: { screenClients: say('clients'), help: say('help') } }));
    stack.push('row', () => ({ scope: 'row', handlers: { disconnect: say('disconnect') } }));
    stack.push('list', () => ({
      scope: 'list',
      handlers: { moveDown: say('down'), moveUp: say('up'), open: say('open') },
    }));
    return { stack, done, say };
  };

  test('runs the command that was clicked, and moves by rows', () => {
    const { stack, done, say } = createStack();
    stack.click('screenClients');
    stack.resume();
    stack.roll('Down', 3);
    stack.roll('Up', 1);
    stack.resume();
    stack.clickIn('list', say('row'));
    stack.resume();
    stack.click('disconnect');
    expect(done).toEqual(['clients', 'down', 'down', 'down', 'up', 'row', 'disconnect']);
  });

  test('waits until what was done before is drawn, as keys do', () => {
    const { stack, done, say } = createStack();
    expect(stack.dispatch([{ name: 'j', text: 'j' }])).toBe(false);
    expect(stack.clickIn('list', say('row'))).toBe(true);
    expect(done).toEqual(['down']);
    stack.resume();
    expect(done).toEqual(['down', 'row']);
  });

  test('does nothing after a key that acts until it is drawn', () => {
    const { stack, done, say } = createStack();
    stack.click('disconnect');
    stack.click('screenClients');
    stack.clickIn('list', say('row'));
    stack.roll('Down', 3);
    stack.resume();
    expect(done).toEqual(['disconnect']);
  });

  test.each([
    ['confirm', ['confirmYes'], ['confirmNo', 'confirmDown']],
    ['confirmName', ['nameAccept'], ['nameCancel', 'nameDown']],
    ['form', ['formAccept', 'formGoOn'], ['formNext', 'formCancel']],
    ['menu', ['menuAccept'], ['menuDown', 'menuCancel']],
  ] as const)('confirms nothing in %s, but moves and leaves, and reaches nothing below', (scope, refused, allowed) => {
    const { stack, done, say } = createStack();
    stack.push(scope, () => ({
      scope,
      handlers: Object.fromEntries([...refused, ...allowed].map((id) => [id, say(id)])),
    }));
    for (const id of [...refused, ...allowed, 'screenClients', 'open', 'disconnect'] as const) {
      stack.click(id);
      stack.resume();
    }
    stack.clickIn('list', say('row'));
    stack.resume();
    expect(done).toEqual(allowed);
  });

  test.each([
    ['bulk', 'bulkLeave'],
    ['outcome', 'outcomeClose'],
  ] as const)('leaves %s by what goes elsewhere, and does that; ignores what acts', (scope, leave) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const done: string[] = [];
    const stack = new KeyStack(keymap, { settleMs: 500 });
    const say = (id: string) => (): void => {
      done.push(id);
    };
    stack.push('global', () => ({
      scope: 'global',
      handlers: {
        screenClients: say('clients'),
        palette: say('palette'),
        help: say('help'),
        publish: say('publish'),
        freeze: say('freeze'),
      },
    }));
    stack.push('list', () => ({
      scope: 'list',
      handlers: { moveDown: say('down'), open: say('open'), copyId: say('copy') },
    }));
    stack.push('row', () => ({
      scope: 'row',
      handlers: { disconnect: say('disconnect'), rowActions: say('menu'), mark: say('mark') },
    }));
    stack.push('nodeColumns', () => ({ scope: 'nodeColumns', handlers: { chooseNodeRight: say('node') } }));
    stack.push(scope, () => ({ scope, handlers: { [leave]: say('left') } }));
    const press = (...names: readonly string[]): readonly string[] => {
      done.length = 0;
      for (const name of names) {
        stack.dispatch([{ name, text: name.length === 1 ? name : undefined }]);
        stack.resume();
      }
      return [...done];
    };
    // Typed ahead, before it can have been read.
    expect(press('4', 'Down')).toEqual([]);
    vi.advanceTimersByTime(500);
    expect([press('4'), press('Down'), press('Right'), press(':'), press('?')]).toEqual(
      ['clients', 'down', 'node', 'palette', 'help'].map((id) => ['left', id]),
    );
    expect(press('K', 'a', 'P', 'y', 'p', 'Space', 'z')).toEqual([]);
    expect([
      stack.runs('palette'),
      stack.runs('screenClients'),
      stack.runs('disconnect'),
      stack.runs('freeze'),
    ]).toEqual([true, true, false, false]);
    stack.click('screenClients');
    stack.resume();
    stack.click('disconnect');
    stack.resume();
    expect(done).toEqual(['left', 'clients']);
  });

  test('answers a question by a button that was clicked, once its key would, and not by a double click that opened it', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const done: string[] = [];
    const stack = new KeyStack(keymap, { settleMs: 500 });
    let isSeen = false;
    stack.push('confirm', () => ({
      scope: 'confirm',
      handlers: {
        confirmYes: isSeen
          ? () => {
              done.push('yes');
            }
          : undefined,
        confirmNo: () => {
          done.push('no');
        },
      },
    }));
    const click = (id: 'confirmYes' | 'confirmNo'): void => {
      stack.clickButton(id);
      stack.resume();
    };
    vi.advanceTimersByTime(600);
    click('confirmYes');
    isSeen = true;
    click('confirmYes');
    expect(done).toEqual(['yes']);
    stack.push('confirm', () => ({
      scope: 'confirm',
      handlers: {
        confirmYes: () => {
          done.push('early');
        },
        confirmNo: () => {
          done.push('no');
        },
      },
    }));
    vi.advanceTimersByTime(400);
    click('confirmYes');
    click('confirmNo');
    vi.advanceTimersByTime(200);
    click('confirmYes');
    expect(done).toEqual(['yes', 'no', 'early']);
    vi.useRealTimers();
  });

  test('types no name by a button', () => {
    const { stack, done, say } = createStack();
    stack.push('prompt', () => ({ scope: 'prompt', handlers: { promptAccept: say('accept') } }));
    stack.push('confirmName', () => ({ scope: 'confirmName', handlers: { nameCancel: say('cancel') } }));
    for (const id of ['nameAccept', 'screenClients', 'nameCancel'] as const) {
      stack.clickButton(id);
      stack.resume();
    }
    expect(done).toEqual(['cancel']);
  });

  test('rolls dialogs that scroll, but no fields', () => {
    const { stack, done, say } = createStack();
    const close = stack.push('confirm', () => ({ scope: 'confirm', handlers: { confirmDown: say('scroll') } }));
    stack.roll('Down', 2);
    close();
    stack.push('form', () => ({ scope: 'form', handlers: { formDown: say('field') } }));
    stack.roll('Down', 2);
    expect(done).toEqual(['scroll', 'scroll']);
  });
});

describe('keys', () => {
  test('move a list, also several in one chunk', async () => {
    const rig = createRig(<App />);
    rig.type('j');
    await rig.until((text) => text.includes('cursor c1 '));
    rig.type('jjj\u001B[B\u001B[B');
    await rig.until((text) => text.includes('cursor c6 '));
    rig.type('G');
    await rig.until((text) => text.includes('cursor c49 top 40'));
    rig.type('\u001B[5~');
    await rig.until((text) => text.includes('cursor c40 top 31'));
    rig.type('s');
    expect(await rig.until((text) => text.includes('sort node'))).toContain('cursor c0 top 0 sort node');
  });

  test('typed faster than the screen reach the dialog that the first one opened', async () => {
    const rig = createRig(<App />);
    rig.type('?qpj5');
    await rig.until((text) => text.includes('filter ["qpj5"] at 4'));
    rig.type('\u007F\u007F');
    await rig.until((text) => text.includes('filter ["qp"] at 2'));
    rig.type('\r');
    await rig.until((text) => text.includes('said qp'));
    expect(rig.lines().join('\n')).toContain('cursor c0 ');
  });

  test('and text before an Enter in the same chunk are applied first', async () => {
    const Opening = (): ReactNode => {
      const [opened, setOpened] = useState<readonly string[]>([]);
      const list = useListState({ columnId: 'id', isReversed: false });
      const state = useListSync(list, ids, 10);
      useListKeys(list, {
        onOpen: () => {
          setOpened([...opened, selectCursorId(state) ?? 'none']);
        },
      });
      return <Text>{`opened ${opened.join(' ')}.`}</Text>;
    };
    const rig = createRig(<Opening />);
    rig.type('jj\u001B[B\rj\r');
    await rig.until((text) => text.includes('opened c3 c4.'));
    expect(rig.lines().join('\n')).toContain('opened c3 c4.');
    const typed = createRig(<App />);
    typed.type('?some text\r');
    await typed.until((text) => text.includes('said some text'));
  });

  test('of a dialog do not reach the list below', async () => {
    const rig = createRig(<App />);
    rig.type('\r');
    await rig.until((text) => text.includes('question'));
    rig.type('jjp');
    rig.type('n');
    await rig.until((text) => text.includes('said no'));
    expect(rig.lines().join('\n')).toContain('cursor c0 ');
  });

  test('of a menu do not reach the list below, and Enter after a letter that is no key opens nothing', async () => {
    const rig = createRig(<App />);
    rig.type(':');
    await rig.until((text) => text.includes('palette'));
    rig.type('\u0017s>\u001B');
    await rig.until((text) => text.includes('said closed'));
    expect(rig.lines().join('\n')).toContain('sort id');
    rig.type('_context j\r');
    await rig.until((text) => text.includes('cursor c1 '));
    expect(rig.lines().join('\n')).not.toContain('question');
    rig.type('\r');
    await rig.until((text) => text.includes('question'));
  });

  test('Enter and Esc cancel a question, only y does it', async () => {
    for (const [key, answer] of [
      ['\r', 'no'],
      ['\u001B', 'no'],
      ['y', 'yes'],
    ] as const) {
      const rig = createRig(<App />);
      rig.type('\r');
      await rig.until((text) => text.includes('question'));
      rig.type(key);
      expect(await rig.until((text) => text.includes('said n') || text.includes('said y'))).toContain(`said ${answer}`);
    }
  });

  test('of a palette move its choices, typed text goes to its prompt', async () => {
    const rig = createRig(<App />);
    rig.type(':t');
    await rig.until((text) => text.includes('palette t on two'));
    rig.type('\u001B[B');
    await rig.until((text) => text.includes('palette t on three'));
    rig.type('\r');
    expect(await rig.until((text) => text.includes('said t'))).toContain('said three');
  });

  test('Ctrl-C always quits, q only outside text fields', async () => {
    const rig = createRig(<App />);
    rig.type('?');
    await rig.until((text) => text.includes('filter [""]'));
    rig.type('q');
    await rig.until((text) => text.includes('filter ["q"]'));
    rig.type('\u0003');
    expect(await rig.until((text) => text.includes('said quit'))).toContain('filter ["q"] at 1');
  });

  test('a paste is never a command; a text field gets it as a whole', async () => {
    const rig = createRig(<App />);
    rig.type('\u001B[200~pppjjj\u001B[201~');
    rig.type('j');
    await rig.until((text) => text.includes('cursor c1 '));
    expect(rig.lines().join('\n')).not.toContain('frozen');
    rig.type('?');
    await rig.until((text) => text.includes('filter [""]'));
    rig.type('\u001B[200~a\u001B[31m\r\nb\u001B[201~');
    await rig.until((text) => text.includes(String.raw`filter ["a\u001b[31m b"]`));
  });
});

describe('KeyStack', () => {
  test('drops the rest of a burst after an answer, so that nothing unseen is confirmed', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    const heard: string[] = [];
    stack.push('list', () => ({
      scope: 'list',
      handlers: { moveDown: () => heard.push('down'), open: () => heard.push('open') },
    }));
    const pop = stack.push('confirm', () => ({ scope: 'confirm', handlers: { confirmYes: () => heard.push('yes') } }));
    const strokes = (keys: string): { name: string; text: string }[] =>
      Array.from(keys, (key) => ({ name: key, text: key }));
    stack.dispatch(strokes('yy'));
    stack.resume();
    expect(heard).toEqual([]);
    expect(stack.dispatch(strokes('y'))).toBe(true);
    stack.dispatch(strokes('jj'));
    stack.dispatch(strokes('y'));
    expect(heard).toEqual(['yes']);
    pop();
    expect(stack.resume()).toBe(false);
    stack.dispatch(strokes('jj'));
    expect(heard).toEqual(['yes', 'down', 'down']);
  });

  test('acts only after the moves before it are drawn, even if these waited for a drawing', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    let cursor = 0;
    let drawn = 0;
    const acted: number[] = [];
    stack.beforeDrawing(() => {
      drawn = cursor;
    });
    stack.push('list', () => ({
      scope: 'list',
      handlers: {
        moveDown: () => {
          cursor += 1;
        },
        open: () => {},
      },
    }));
    stack.push('row', () => ({ scope: 'row', handlers: { disconnect: () => acted.push(drawn) } }));
    const type = (key: string): boolean => stack.dispatch([{ name: key, text: key }]);
    const drawings = [type('Enter'), type('j')].filter((isDue) => isDue);
    for (const _ of drawings) stack.resume();
    expect(cursor).toBe(1);
    if (type('K')) stack.resume();
    expect(acted).toEqual([1]);
  });

  test('handles the keys after a dangerous one that asked nothing, and drops them if it did', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    const heard: string[] = [];
    const ask = vi.fn<() => void>();
    stack.push('list', () => ({
      scope: 'list',
      handlers: { moveDown: () => heard.push('down'), open: () => heard.push('open') },
    }));
    stack.push('row', () => ({
      scope: 'row',
      handlers: {
        disconnect: () => {
          heard.push('disconnect');
          ask();
        },
      },
    }));
    const strokes = (keys: string): { name: string; text: string }[] =>
      Array.from(keys, (key) => ({ name: key, text: key }));
    const drawAll = (isDue: boolean): void => {
      for (let isLeft = isDue; isLeft;) isLeft = stack.resume();
    };
    expect(stack.dispatch(strokes('K'))).toBe(true);
    stack.dispatch(strokes('j'));
    expect(heard).toEqual(['disconnect']);
    drawAll(true);
    expect(heard).toEqual(['disconnect', 'down']);
    drawAll(stack.dispatch(strokes('jKj')));
    expect(heard.splice(0)).toEqual(['disconnect', 'down', 'down', 'disconnect', 'down']);
    ask.mockImplementation(() => {
      stack.push('confirm', () => ({ scope: 'confirm', handlers: { confirmYes: () => heard.push('yes') } }));
    });
    expect(stack.dispatch(strokes('K'))).toBe(true);
    stack.dispatch(strokes('y'));
    stack.dispatch(strokes('j'));
    drawAll(true);
    expect(heard).toEqual(['disconnect']);
  });

  test('gives a paste to the field that the key before it opened, and drops one before a question is drawn', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    const heard: string[] = [];
    const pops: (() => void)[] = [];
    stack.push('list', () => ({
      scope: 'list',
      handlers: {
        filter: () =>
          pops.push(
            stack.push('prompt', () => ({ scope: 'prompt', handlers: {}, onPaste: (text) => heard.push(text) })),
          ),
      },
    }));
    expect(stack.dispatch([{ name: '/', text: '/' }])).toBe(true);
    stack.paste('pump');
    expect(heard).toEqual([]);
    stack.resume();
    expect(heard).toEqual(['pump']);
    stack.resume();
    stack.push('confirm', () => ({ scope: 'confirm', handlers: { confirmYes: () => heard.push('yes') } }));
    stack.dispatch([{ name: 'y', text: 'y' }]);
    stack.paste('lost');
    stack.resume();
    expect(heard).toEqual(['pump', 'yes']);
  });

  test('drops what was typed for something else when a prompt opens that no key opened', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const typed: string[] = [];
    const stack = new KeyStack(createKeymap({ isReadOnly: false }), { settleMs: 500 });
    const prompt = (name: string, isUnexpected: boolean) =>
      stack.push('prompt', () => ({
        scope: 'prompt',
        isUnexpected,
        onText: (text) => {
          typed.push(`${name} ${text}`);
        },
        onPaste: (text) => {
          typed.push(`${name} pasted ${text}`);
        },
        handlers: {
          promptAccept: () => {
            typed.push(`${name} accepted`);
          },
        },
      }));
    const typeAll = (): void => {
      stack.dispatch([{ name: 'x', text: 'x' }]);
      stack.resume();
      stack.dispatch([{ name: 'Enter', text: undefined }]);
      stack.resume();
      stack.paste('y');
      stack.resume();
    };
    const close = prompt('asked for', false);
    typeAll();
    expect(typed).toEqual(['asked for x', 'asked for accepted', 'asked for pasted y']);
    close();
    typed.length = 0;
    prompt('unexpected', true);
    vi.advanceTimersByTime(499);
    typeAll();
    expect(typed).toEqual([]);
    vi.advanceTimersByTime(1);
    typeAll();
    expect(typed).toEqual(['unexpected x', 'unexpected accepted', 'unexpected pasted y']);
  });

  test('accepts yes only for a question shown for a while, and no at once', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const done: string[] = [];
    const stack = new KeyStack(createKeymap({ isReadOnly: false }), {
      settleMs: 250,
      onCommand: (id) => done.push(id),
    });
    const heard: string[] = [];
    stack.push('confirm', () => ({
      scope: 'confirm',
      handlers: { confirmYes: () => heard.push('yes'), confirmNo: () => heard.push('no') },
    }));
    const press = (name: string): void => {
      stack.dispatch([{ name, text: name }]);
      stack.resume();
    };
    press('y');
    press('n');
    vi.advanceTimersByTime(249);
    press('y');
    expect(heard).toEqual(['no']);
    vi.advanceTimersByTime(1);
    press('y');
    expect(heard).toEqual(['no', 'yes']);
    expect(done).toEqual(['confirmNo', 'confirmYes']);
  });

  describe('a confirmation by name', () => {
    const enter = { name: 'Enter', text: undefined };

    /** Asks over a list, and settles as the program does; `heard` is what reached any of them. */
    const ask = () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      const stack = new KeyStack(createKeymap({ isReadOnly: false }), { settleMs: 250 });
      const heard: string[] = [];
      const hear = (text: string) => (): void => {
        heard.push(text);
      };
      stack.push('global', () => ({ scope: 'global', handlers: { quit: hear('quit'), palette: hear('palette') } }));
      // What was open under it, with a line of its own.
      vi.advanceTimersByTime(1_000);
      stack.push('prompt', () => ({
        scope: 'prompt',
        handlers: { promptAccept: hear('wrong'), promptErase: hear('erase') },
        onText: (text) => {
          heard.push(text);
        },
        onPaste: (text) => {
          heard.push(text);
        },
      }));
      stack.push('confirmName', () => ({
        scope: 'confirmName',
        handlers: { nameAccept: hear('yes'), nameCancel: hear('cancel'), nameDown: hear('down') },
      }));
      stack.push('bulkPreview', () => ({ scope: 'bulkPreview', handlers: { paceUp: hear('faster') } }));
      const press = (...names: string[]): void => {
        for (const name of names) {
          stack.dispatch([name === 'Enter' ? enter : { name, text: name.length === 1 ? name : undefined }]);
          stack.resume();
        }
      };
      return { stack, heard, press };
    };

    test('ignores text and Enter until it has been shown for a while', () => {
      const { stack, heard, press } = ask();
      for (let ms = 0; ms < 250; ms += 25) {
        press('1', '0', '+', ':', 'Enter');
        stack.paste('10');
        stack.resume();
        vi.advanceTimersByTime(25);
      }
      expect(heard).toEqual([]);
      press('1', '0', '+', 'Enter');
      stack.paste('10');
      expect(heard).toEqual(['1', '0', 'faster', 'yes', '10']);
    });

    test('can be closed, scrolled and quit at once', () => {
      const { heard, press } = ask();
      press('Down', 'Ctrl-C', 'Esc');
      expect(heard).toEqual(['down', 'quit', 'cancel']);
    });

    test('waits again after another dialog hid it', () => {
      const { stack, heard, press } = ask();
      const pop = stack.push('tooSmall', () => ({ scope: 'tooSmall', handlers: {} }));
      vi.advanceTimersByTime(1_000);
      pop();
      press('1', 'Enter');
      expect(heard).toEqual([]);
      vi.advanceTimersByTime(250);
      press('1', 'Enter');
      expect(heard).toEqual(['1', 'yes']);
    });
  });

  test('applies the keys before a command to the row or text it acts on', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    const heard: string[] = [];
    stack.push('list', () => ({
      scope: 'list',
      handlers: { moveDown: () => heard.push('down'), open: () => heard.push('open') },
    }));
    const down = { name: 'j', text: 'j' };
    const enter = { name: 'Enter', text: undefined };
    expect(stack.dispatch([down, down, enter, down])).toBe(true);
    // Not even by way of a second report.
    expect(stack.dispatch([enter])).toBe(false);
    expect(heard).toEqual(['down', 'down']);
    expect(stack.resume()).toBe(true);
    expect(heard).toEqual(['down', 'down', 'open']);
    expect(stack.resume()).toBe(true);
    expect(heard).toEqual(['down', 'down', 'open', 'down']);
    expect(stack.resume()).toBe(true);
    expect(stack.resume()).toBe(false);
    expect(heard).toEqual(['down', 'down', 'open', 'down', 'open']);
  });

  test('a q soon after one that closed something does not quit, not even held down; Ctrl-C does', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stack = new KeyStack(createKeymap({ isReadOnly: false }), { settleMs: 250 });
    const heard: string[] = [];
    stack.push('global', () => ({ scope: 'global', handlers: { quit: () => heard.push('quit') } }));
    const pop = stack.push('closable', () => ({
      scope: 'closable',
      handlers: {
        close: () => {
          heard.push('close');
          pop();
        },
      },
    }));
    const press = (name: string): void => {
      stack.dispatch([{ name, text: name }]);
      stack.resume();
    };
    press('q');
    for (let pressed = 0; pressed < 50; pressed += 1) {
      vi.advanceTimersByTime(30);
      press('q');
    }
    expect(heard).toEqual(['close']);
    press('Ctrl-C');
    vi.advanceTimersByTime(125);
    press('q');
    expect(heard).toEqual(['close', 'quit', 'quit']);
  });

  test.each([
    ['a confirmation copies nothing', 'confirm', ['copy']],
    ['an outcome copies nothing', 'outcome', ['copy']],
    ['a form copies nothing', 'form', ['copy']],
    ['the filter copies', 'prompt', ['copy', 'copy']],
  ] as const)('a y soon after %s', (_, scope, copied) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stack = new KeyStack(createKeymap({ isReadOnly: false }), { settleMs: 500 });
    const heard: string[] = [];
    stack.push('list', () => ({
      scope: 'list',
      handlers: { copyId: () => heard.push('copy'), moveDown: () => heard.push('down') },
    }));
    stack.push(scope, () => ({ scope, handlers: {} }))();
    const press = (name: string): void => {
      stack.dispatch([{ name, text: name }]);
      stack.resume();
    };
    press('j');
    vi.advanceTimersByTime(999);
    press('y');
    vi.advanceTimersByTime(1);
    press('y');
    expect(heard).toEqual(['down', ...copied]);
  });

  test('knows what a key would do now', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    const ignore = (): void => {};
    const handlers: { quit: () => void; freeze?: () => void } = { quit: ignore };
    stack.push('global', () => ({ scope: 'global', handlers }));
    expect([stack.runs('quit'), stack.runs('freeze'), stack.runs('close')]).toEqual([true, false, false]);
    handlers.freeze = ignore;
    const versions = [stack.version()];
    stack.noteHandlers();
    const pop = stack.push('closable', () => ({ scope: 'closable', handlers: { close: ignore } }));
    versions.push(stack.version());
    expect([stack.runs('quit'), stack.runs('freeze'), stack.runs('close')]).toEqual([false, true, true]);
    const popPrompt = stack.push('prompt', () => ({
      scope: 'prompt',
      handlers: { promptAccept: ignore },
      onText: ignore,
    }));
    expect([stack.runs('freeze'), stack.runs('close'), stack.runs('promptAccept')]).toEqual([false, false, true]);
    popPrompt();
    pop();
    versions.push(stack.version());
    expect(stack.runs('quit')).toBe(true);
    expect(new Set(versions).size).toBe(3);
  });

  test('says so when keys that came with the one that asks, or a paste, were ignored', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    stack.push('confirm', () => ({
      scope: 'confirm',
      handlers: {
        confirmYes: () => {
          throw new Error('confirmed');
        },
      },
    }));
    stack.paste('y');
    expect(stack.hasIgnored()).toBe(true);
    const asking = new KeyStack(createKeymap({ isReadOnly: false }));
    asking.push('row', () => ({
      scope: 'row',
      handlers: {
        disconnect: () => {
          asking.push('confirm', () => ({
            scope: 'confirm',
            handlers: {
              confirmYes: () => {
                throw new Error('confirmed');
              },
            },
          }));
        },
      },
    }));
    asking.dispatch(['K', 'y', 'y'].map((name) => ({ name, text: name })));
    // The question is not drawn yet.
    expect(asking.hasIgnored()).toBe(false);
    asking.resume();
    expect(asking.hasIgnored()).toBe(true);
    asking.resume();
    expect(asking.hasIgnored()).toBe(true);
  });

  test('says so no longer once an answer is accepted', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    stack.push('confirm', () => ({ scope: 'confirm', handlers: { confirmYes: () => {} } }));
    stack.dispatch(['y', 'y'].map((name) => ({ name, text: name })));
    expect(stack.hasIgnored()).toBe(true);
    stack.dispatch([{ name: 'y', text: 'y' }]);
    expect(stack.hasIgnored()).toBe(false);
  });

  test('a question that is drawn in another size is answered later', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stack = new KeyStack(createKeymap({ isReadOnly: false }), { settleMs: 500 });
    const heard: string[] = [];
    stack.push('confirm', () => ({ scope: 'confirm', handlers: { confirmYes: () => heard.push('yes') } }));
    vi.advanceTimersByTime(500);
    stack.settleAgain();
    for (const ms of [0, 499, 1]) {
      vi.advanceTimersByTime(ms);
      stack.dispatch([{ name: 'y', text: 'y' }]);
      stack.resume();
    }
    expect(heard).toEqual(['yes']);
    vi.useRealTimers();
  });

  test('the first Enter after an action only closes its result, any other key does so as well', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    const heard: string[] = [];
    stack.push('list', () => ({
      scope: 'list',
      handlers: { open: () => heard.push('open'), moveDown: () => heard.push('down') },
    }));
    const show = (): void => {
      const hide = stack.push('notice', () => ({
        scope: 'notice',
        handlers: {
          noticeClose: () => {
            heard.push('close');
            hide();
          },
        },
      }));
    };
    const press = (name: string): void => {
      stack.dispatch([{ name, text: undefined }]);
      stack.resume();
    };
    show();
    expect(stack.runs('open')).toBe(true);
    for (const name of ['Enter', 'Enter']) press(name);
    show();
    for (const name of ['Down', 'Enter']) press(name);
    expect(heard).toEqual(['close', 'open', 'close', 'down', 'open']);
  });

  test('gives a key to the later one of two layers at one height', () => {
    const stack = new KeyStack(createKeymap({ isReadOnly: false }));
    const heard: string[] = [];
    stack.push('list', () => ({ scope: 'list', handlers: { moveDown: () => heard.push('first') } }));
    const pop = stack.push('list', () => ({ scope: 'list', handlers: { moveDown: () => heard.push('second') } }));
    stack.dispatch([{ name: 'j', text: 'j' }]);
    pop();
    stack.dispatch([{ name: 'j', text: 'j' }]);
    expect(heard).toEqual(['second', 'first']);
  });
});
