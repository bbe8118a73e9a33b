import { useWindowSize } from 'ink';

/** Size of the terminal in cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The smallest terminal that the program draws in. */
export const smallestSize: TerminalSize = { columns: 60, rows: 15 };

/** Follows the terminal's size. A terminal that does not say is 80×24. */
export const useTerminalSize = (): TerminalSize => {
  const { columns, rows } = useWindowSize();
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
};

export const isTooSmall = ({ columns, rows }: TerminalSize): boolean =>
  columns < smallestSize.columns || rows < smallestSize.rows;
