/** By which column a list is sorted. */
export interface Sort {
  readonly columnId: string;
  /** Largest first. */
  readonly isReversed: boolean;
}
