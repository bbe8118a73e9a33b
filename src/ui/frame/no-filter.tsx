import type { ReactNode } from 'react';
import { useTextField } from '../hooks/use-text-field.ts';
import { safe } from '../../terminal/safe-text.ts';
import { TextPrompt } from '../components/text-prompt.tsx';

export interface NoFilterProps {
  readonly width: number;
  readonly onClose: () => void;
}

/** Where a filter would be typed on a screen that has none: takes what is typed, so that none of it is taken for keys. */
export const NoFilter = ({ width, onClose }: NoFilterProps): ReactNode => {
  const [field] = useTextField({ onAccept: onClose, onCancel: onClose });
  return <TextPrompt label={safe` / `} field={field} width={width} right={{ text: safe`nothing to filter here: Esc `, role: 'warning' }} />;
};
