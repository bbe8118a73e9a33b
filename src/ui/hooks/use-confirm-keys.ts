import { useKeys } from '../keys/use-keys.ts';

/** Moves what does not fit by so many lines, or pages of what is in sight. */
export type OnScroll = (by: number, unit: 'line' | 'page') => void;

export interface ConfirmKeysOptions {
  /** `undefined` as long as it cannot be answered. */
  readonly onConfirm: (() => void) | undefined;
  readonly onCancel: () => void;
  readonly onScroll: OnScroll;
  readonly isActive?: boolean | undefined;
}

/** Binds the keys of a question: `y` does it, everything that leaves a dialog cancels. */
export const useConfirmKeys = ({ onConfirm, onCancel, onScroll, isActive }: ConfirmKeysOptions): void => {
  useKeys(
    'confirm',
    {
      confirmYes: onConfirm,
      confirmNo: onCancel,
      confirmUp: () => { onScroll(-1, 'line'); },
      confirmDown: () => { onScroll(1, 'line'); },
      confirmPageUp: () => { onScroll(-1, 'page'); },
      confirmPageDown: () => { onScroll(1, 'page'); },
    },
    { isActive },
  );
};
