import { useKeys } from './use-keys.ts';

export interface ConfirmKeysOptions {
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly isActive?: boolean | undefined;
}

/** Binds the keys of a question: `y` does it, everything that leaves a dialog cancels. */
export const useConfirmKeys = ({ onConfirm, onCancel, isActive }: ConfirmKeysOptions): void => {
  useKeys('confirm', { confirmYes: onConfirm, confirmNo: onCancel }, { isActive });
};
