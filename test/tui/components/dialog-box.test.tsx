import { setTimeout as pass } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { Box } from 'ink';
import { afterEach, describe, expect, test } from 'vitest';
import { composeLine, type Line } from '../../../src/terminal/line.ts';
import { safe, trusted } from '../../../src/terminal/safe-text.ts';
import { titleLine } from '../../../src/tui/components/blocks.ts';
import {
  type Button,
  buttonsLine,
  DialogBox,
  type DialogContent,
  fitDialog,
} from '../../../src/tui/components/dialog-box.tsx';
import { ClickTargets, ClickTargetsContext } from '../../../src/tui/components/drawing.tsx';
import { Menu, useMenu } from '../../../src/tui/components/menu.tsx';
import { useConfirmKeys } from '../../../src/tui/components/confirm.tsx';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme, type Rig } from '../support/rig.tsx';

afterEach(endRigs);

const title = safe`Stop it?`;
const buttons: readonly Button[] = [
  { id: 'confirmYes', keys: safe`y`, label: safe`stop`, isDangerous: true },
  { id: 'confirmNo', keys: safe`n`, label: safe`cancel`, isDefault: true },
];

/** A dialog with so many lines of text, of which those that have no room are scrolled. */
const draw =
  (count: number, theme = plainTheme) =>
  (width: number, height: number): DialogContent => {
    const room = height - 2;
    const lines = Array.from({ length: Math.min(count, room) }, (_, index): Line =>
      composeLine(theme, width, [{ text: trusted(`  line ${index}`) }]),
    );
    return {
      lines: [titleLine(theme, width, title), ...lines, buttonsLine(theme, width, buttons)],
      maxTop: Math.max(0, count - room),
    };
  };
const dialogOf = (width: number, height: number, count: number) =>
  fitDialog({ theme: plainTheme, title, width, height, draw: draw(count) });

describe('the box of a dialog', () => {
  test.each([
    [200, 56],
    [120, 36],
    [80, 20],
  ])('leaves a margin at %i by %i, and the title is in its border', (width, height) => {
    const { isOpen, lines, width: taken } = dialogOf(width, height, 3);
    expect([isOpen, taken <= width, lines.length <= height]).toEqual([false, true, true]);
    expect(stripVTControlCharacters(lines[0] ?? '')).toContain('╭ Stop it? ─');
    expect(lines.filter((line) => line.includes(title))).toHaveLength(1);
  });

  test.each([
    [60, 11],
    [69, 20],
    [80, 13],
  ])('gives way to the content at %i by %i', (width, height) => {
    const { isOpen, lines, width: taken } = dialogOf(width, height, 3);
    expect([isOpen, taken]).toEqual([true, width]);
    expect(stripVTControlCharacters(lines[0] ?? '')).toContain('── Stop it? ─');
  });

  test('is no wider than it reads well, unless more of the content is in sight then', () => {
    expect(dialogOf(200, 56, 3).width).toBe(96);
    expect(dialogOf(200, 20, 40).width).toBe(200);
  });

  test('gives way where only then all of the content is in sight', () => {
    expect(dialogOf(80, 20, 17).isOpen).toBe(false);
    expect(dialogOf(80, 20, 18)).toMatchObject({ isOpen: true, content: { maxTop: 0 } });
    expect(dialogOf(80, 20, 40).isOpen).toBe(false);
  });

  test('is red with its verb where it stops something, and the default has a sign without codes', () => {
    const red = colorTheme.styles.error.color;
    expect(red).toBe('red');
    const isRed = (line: string | undefined): boolean => line?.includes('\u001B[1;31m') === true;
    const boxOf = (isDangerous: boolean) =>
      fitDialog({ theme: colorTheme, title, isDangerous, width: 80, height: 20, draw: draw(1, colorTheme) }).lines;
    expect([isRed(boxOf(true)[0]), isRed(boxOf(true).at(-1)), isRed(boxOf(false)[0])]).toEqual([true, true, false]);
    expect(isRed(buttonsLine(colorTheme, 40, buttons))).toBe(true);
    expect(buttonsLine(asciiTheme, 40, buttons).trimEnd()).toBe('  y Stop  [n Cancel]');
  });
});

const clickOn = (rig: Rig, targets: ClickTargets, text: string): void => {
  const row = rig.lines().findIndex((line) => line.includes(text));
  targets.click(row, rig.lines()[row]?.indexOf(text) ?? -1);
};

describe.each([
  [100, 30],
  [60, 11],
])('clicks at %i by %i', (width, height) => {
  test('on a button do what its key does, if that does something now; elsewhere they do nothing', async () => {
    const targets = new ClickTargets();
    const done: string[] = [];
    const Question = ({ isSeen }: { readonly isSeen: boolean }) => {
      useConfirmKeys({
        onConfirm: isSeen
          ? () => {
              done.push('yes');
            }
          : undefined,
        onCancel: () => {
          done.push('no');
        },
        onScroll: () => {},
      });
      return <DialogBox dialog={dialogOf(width, height, 3)} buttons={buttons} area={{ width, height }} />;
    };
    const tree = (isSeen: boolean) => (
      <ClickTargetsContext value={targets}>
        <Box width={width} height={height}>
          <Question isSeen={isSeen} />
        </Box>
      </ClickTargetsContext>
    );
    const rig = createRig(tree(false), { columns: width, rows: height, theme: plainTheme });
    await rig.until((text) => text.includes('y Stop'));
    clickOn(rig, targets, 'y Stop');
    clickOn(rig, targets, 'line 1');
    clickOn(rig, targets, title);
    targets.click(0, 0);
    expect(done).toEqual([]);
    rig.rerender(tree(true));
    clickOn(rig, targets, 'y Stop');
    expect(done).toEqual(['yes']);
    // Until that is drawn.
    await pass(100);
    clickOn(rig, targets, 'n Cancel');
    expect(done).toEqual(['yes', 'no']);
  });

  test('on an entry of a menu choose it', async () => {
    const targets = new ClickTargets();
    const chosen: string[] = [];
    const items = ['a', 'b', 'c'].map((id) => ({ id, label: trusted(`Entry ${id}`) }));
    const Choice = () => {
      const onChoose = (id: string): void => {
        chosen.push(id);
      };
      const selectedId = useMenu(
        items.map(({ id }) => id),
        { onChoose, onClose: () => {} },
      );
      const dialog = dialogOf(width, height, 3);
      return (
        <DialogBox
          dialog={dialog}
          buttons={buttons}
          area={{ width, height }}
          inside={{
            line: 1,
            children: <Menu items={items} selectedId={selectedId} onChoose={onChoose} width={50} height={3} />,
          }}
        />
      );
    };
    const rig = createRig(
      <ClickTargetsContext value={targets}>
        <Box width={width} height={height}>
          <Choice />
        </Box>
      </ClickTargetsContext>,
      { columns: width, rows: height, theme: plainTheme },
    );
    await rig.until((text) => text.includes('Entry c'));
    clickOn(rig, targets, 'Entry c');
    expect(chosen).toEqual(['c']);
  });
});
