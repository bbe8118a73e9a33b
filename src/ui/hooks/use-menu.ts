import { useState } from 'react';
import { useKeys } from './use-keys.ts';

export interface MenuOptions {
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
  readonly isActive?: boolean | undefined;
}

/** Which of the choices is selected, with the keys of the scope `menu`. Follows the choice while the list around it changes. */
export const useMenu = (ids: readonly string[], { onChoose, onClose, isActive }: MenuOptions): string | undefined => {
  const [wished, setWished] = useState<string | undefined>(undefined);
  const index = Math.max(0, wished === undefined ? 0 : ids.indexOf(wished));
  const selected = ids[index];
  const move = (by: number): void => {
    setWished((current) => {
      const from = Math.max(0, current === undefined ? 0 : ids.indexOf(current));
      return ids[Math.max(0, Math.min(ids.length - 1, from + by))];
    });
  };
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
