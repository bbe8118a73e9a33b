import { useState } from 'react';
import { useKeys } from '../keys/use-keys.ts';

export interface MenuOptions {
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
  readonly isActive?: boolean | undefined;
  /** Nothing is typed beside it: letters move, too. */
  readonly hasLetters?: boolean | undefined;
}

/** Which of the choices is selected, with the keys of the scope `menu`. Follows the choice while the list around it changes. */
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
