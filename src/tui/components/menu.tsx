import { Box } from 'ink';
import SelectInput from 'ink-select-input';
import { type ReactNode, useMemo, useState } from 'react';
import { composeEnds, composeLine, type Line } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Role } from '../../terminal/theme.ts';
import { useKeys, usePointer } from '../keys/use-keys.ts';
import { useSpoken } from '../speech/use-speech.ts';
import { rowCursor } from './blocks.ts';
import { Rows, useTheme } from './drawing.tsx';

export interface MenuItem {
  readonly id: string;
  readonly label: SafeText;
  readonly note?: SafeText | undefined;
}

export interface MenuProps {
  readonly items: readonly MenuItem[];
  readonly selectedId: string | undefined;
  /** Called for an entry that is clicked. */
  readonly onChoose: (id: string) => void;
  readonly width: number;
  readonly height: number;
}

interface Entry {
  readonly item: MenuItem;
  readonly choose: () => void;
}

interface ItemProps {
  readonly isSelected?: boolean;
  /** Passed through by ink-select-input. */
  readonly entry?: Entry;
}

const indicatorWidth = 2;
/** A page key moves so many choices, however many are shown. */
const page = 10;

/**
 * Draws a menu whose keys are those of `useMenu`: ink-select-input's own include `j`, `k` and digits, which are text in
 * a palette.
 */
export const Menu = ({ items, selectedId, onChoose, width, height }: MenuProps): ReactNode => {
  const theme = useTheme();
  const { clickIn } = usePointer();
  const selectedIndex = Math.max(
    0,
    items.findIndex((item) => item.id === selectedId),
  );
  const selected = items[selectedIndex];
  useSpoken(
    selected && { rank: 'row', key: selected.id, lines: () => [safe`${selected.label}  ${selected.note ?? safe``}`] },
  );
  // Stable components: new ones would remount every item.
  const [Indicator, Item] = useMemo(() => {
    const part = (partWidth: number, line: Line, onClick?: () => void): ReactNode => (
      <Box flexDirection="column" width={partWidth} flexShrink={0}>
        <Rows lines={[line]} onClick={onClick} />
      </Box>
    );
    const roleOf = (isSelected: boolean): Role => (isSelected ? 'cursor' : 'normal');
    return [
      ({ isSelected = false }: ItemProps): ReactNode =>
        part(
          indicatorWidth,
          composeLine(theme, indicatorWidth, [isSelected ? rowCursor(theme) : { text: safe`` }], roleOf(isSelected)),
        ),
      ({ isSelected = false, entry }: ItemProps): ReactNode => {
        const rest = width - indicatorWidth;
        return part(
          rest,
          composeEnds(
            theme,
            rest,
            [{ text: entry?.item.label ?? safe`` }],
            [{ text: safe`${entry?.item.note ?? safe``} `, role: 'dim' }],
            roleOf(isSelected),
          ),
          entry?.choose,
        );
      },
    ];
  }, [theme, width]);
  // SelectInput reads its index once, so a new selection is a new SelectInput.
  return (
    <SelectInput
      key={`${selectedIndex}/${items.length}`}
      items={items.map((item) => ({
        key: item.id,
        label: item.id,
        value: item.id,
        entry: {
          item,
          choose: () => {
            clickIn('menu', () => {
              onChoose(item.id);
            });
          },
        },
      }))}
      initialIndex={selectedIndex}
      limit={Math.max(1, height)}
      isFocused={false}
      indicatorComponent={Indicator}
      itemComponent={Item}
    />
  );
};

export interface MenuOptions {
  /** The choice that is selected at first; by default the first. */
  readonly initialId?: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
  readonly isActive?: boolean | undefined;
  /**
   * Texts of the choices: typing the first letters of one selects it, `j` and `k` move, and no letter reaches what is
   * behind.
   */
  readonly labels?: readonly SafeText[] | undefined;
}

interface Chosen {
  readonly chosenId: string | undefined;
  /** Letters typed since the selection was last moved. */
  readonly typed: string;
}

/** Selects a choice with the keys of the scope `menu`. The selection follows its choice while the list changes. */
export const useMenu = (
  ids: readonly string[],
  { initialId, onChoose, onClose, isActive = true, labels }: MenuOptions,
): string | undefined => {
  const [{ chosenId }, setChosen] = useState<Chosen>({ chosenId: initialId, typed: '' });
  const indexOf = (id: string | undefined): number => Math.max(0, id === undefined ? 0 : ids.indexOf(id));
  const selected = ids[indexOf(chosenId)];
  const moved = (current: Chosen, by: number): Chosen => ({
    chosenId: ids[Math.max(0, Math.min(ids.length - 1, indexOf(current.chosenId) + by))],
    typed: '',
  });
  const move = (by: number): void => {
    setChosen((current) => moved(current, by));
  };
  /** Returns the next choice that begins with a text, from this place on. */
  const find = (text: string, from: number): number | undefined =>
    ids
      .map((_, place) => (from + place) % ids.length)
      .find((place) => labels?.[place]?.toLowerCase().startsWith(text.toLowerCase()));
  /** Continues the word that is being typed, if a choice begins with it. */
  const extended = (current: Chosen, letter: string): Chosen | undefined => {
    const typed = `${current.typed}${letter}`;
    const found = current.typed === '' ? undefined : find(typed, indexOf(current.chosenId));
    return found === undefined ? undefined : { chosenId: ids[found], typed };
  };
  const moveOrType = (by: number, letter: string): void => {
    setChosen((current) => extended(current, letter) ?? moved(current, by));
  };
  useKeys(
    'choices',
    {
      choiceUp: () => {
        moveOrType(-1, 'k');
      },
      choiceDown: () => {
        moveOrType(1, 'j');
      },
      choiceClose: onClose,
    },
    { isActive: isActive && labels !== undefined },
  );
  const selectByLetter = (letter: string): void => {
    setChosen((current) => {
      const next = find(letter, indexOf(current.chosenId) + 1);
      return (
        extended(current, letter) ??
        (next === undefined ? { ...current, typed: '' } : { chosenId: ids[next], typed: letter })
      );
    });
  };
  useKeys('prompt', {}, { isActive: isActive && labels !== undefined, onText: selectByLetter, onPaste: () => {} });
  useKeys(
    'menu',
    {
      menuUp: () => {
        move(-1);
      },
      menuDown: () => {
        move(1);
      },
      menuPageUp: () => {
        move(-page);
      },
      menuPageDown: () => {
        move(page);
      },
      menuFirst: () => {
        move(-ids.length);
      },
      menuLast: () => {
        move(ids.length);
      },
      menuAccept: () => {
        if (selected !== undefined) {
          onChoose(selected);
        }
      },
      menuCancel: onClose,
    },
    { isActive },
  );
  return selected;
};
