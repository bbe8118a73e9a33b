import { Text } from 'ink';
import SelectInput from 'ink-select-input';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { useKeys } from '../keys/use-keys.ts';
import { Rows } from './painted.tsx';
import { useTheme } from './theme-context.ts';

export interface MenuItem {
  readonly id: string;
  readonly label: SafeText;
  /** The key that does the same, at the right end. */
  readonly note?: SafeText | undefined;
}

export interface MenuProps {
  readonly items: readonly MenuItem[];
  readonly selectedId: string | undefined;
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
}

interface ItemProps {
  readonly isSelected?: boolean;
  readonly label: string;
}

const NoIndicator = (): ReactNode => <Text>{''}</Text>;

/**
 * A list of choices, the selected one inverse and with `▸`. `useMenu` moves the selection: ink-select-input's own keys
 * include `j`, `k` and digits, which are text in a palette.
 */
export const Menu = ({ items, selectedId, width, height }: MenuProps): ReactNode => {
  const theme = useTheme();
  const byId = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);
  const selectedIndex = Math.max(0, items.findIndex((item) => item.id === selectedId));
  const Item = useCallback(
    ({ isSelected = false, label: id }: ItemProps): ReactNode => {
      const item = byId.get(id);
      const line = composeEnds(
        theme,
        width,
        [{ text: isSelected ? safe`${glyphs.cursor} ` : safe`  ` }, { text: item?.label ?? safe`` }],
        [{ text: item?.note ?? safe``, role: 'dim' }],
        isSelected ? 'cursor' : 'normal',
      );
      return <Rows lines={[line]} />;
    },
    [byId, theme, width],
  );
  // SelectInput reads its index once, so a new selection is a new SelectInput.
  return (
    <SelectInput
      key={`${selectedIndex}/${items.length}`}
      items={items.map(({ id }) => ({ key: id, label: id, value: id }))}
      initialIndex={selectedIndex}
      limit={Math.max(1, height)}
      isFocused={false}
      indicatorComponent={NoIndicator}
      itemComponent={Item}
    />
  );
};

export interface MenuOptions {
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
  readonly isActive?: boolean | undefined;
  /** No text is typed, so letters move too. */
  readonly hasLetters?: boolean | undefined;
}

/** The selected choice, with the keys of the scope `menu`. The selection follows its choice while the list changes. */
export const useMenu = (ids: readonly string[], { onChoose, onClose, isActive = true, hasLetters = false }: MenuOptions): string | undefined => {
  const [wished, setWished] = useState<string | undefined>(undefined);
  const index = Math.max(0, wished === undefined ? 0 : ids.indexOf(wished));
  const selected = ids[index];
  const move = (by: number): void => {
    setWished((current) => {
      const from = Math.max(0, current === undefined ? 0 : ids.indexOf(current));
      return ids[Math.max(0, Math.min(ids.length - 1, from + by))];
    });
  };
  useKeys('choices', { choiceUp: () => { move(-1); }, choiceDown: () => { move(1); } }, { isActive: isActive && hasLetters });
  useKeys(
    'menu',
    {
      menuUp: () => { move(-1); },
      menuDown: () => { move(1); },
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
