/** How much of a list is read, over all nodes. */
export interface ScanLimits {
  readonly maxRows: number;
  /** Characters in the texts of all rows. */
  readonly maxTextLength: number;
  readonly maxMs: number;
}

export const scanLimits: ScanLimits = { maxRows: 1_000_000, maxTextLength: 256 * 2 ** 20, maxMs: 600_000 };
