import { useKeys } from './use-keys.ts';

export interface ConfirmKeysOptions {
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  /** Moves what does not fit by so many lines. */
  readonly onScroll?: ((by: number) => void) | undefined;
  readonly isActive?: boolean | undefined;
}

/** Binds the keys of a question: `y` does it, everything that leaves a dialog cancels. */
export const useConfirmKeys = ({ onConfirm, onCancel, onScroll, isActive }: ConfirmKeysOptions): void => {
  useKeys(
    'confirm',
    { confirmYes: onConfirm, confirmNo: onCancel, confirmUp: () => { onScroll?.(-1); }, confirmDown: () => { onScroll?.(1); } },
    { isActive },
  );
};
