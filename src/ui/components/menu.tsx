import { Text } from 'ink';
import SelectInput from 'ink-select-input';
import { useCallback, useMemo, type ReactNode } from 'react';
import { glyphs } from '../../terminal/glyphs.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { composeEnds } from '../../terminal/line.ts';
import { Rows } from './rows.tsx';

export interface MenuItem {
  readonly id: string;
  readonly label: SafeText;
  /** At the right end: the key that does the same. */
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
 * Choices below each other, the selected one inverse and with `▸`. Shows only; `useMenu` moves. ink-select-input's own
 * keys stay off: it takes `j`, `k` and digits, which in a palette are typed text.
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
  // SelectInput reads its index once, so a moved selection is a new SelectInput. It shows the window around it.
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
