/**
 * A whole number in figures, with thousands separators: `1,204`. By hand: `Intl` costs a hundred times as much for each
 * of the hundreds of cells of a table, and 15 ms for the first number of a process. A fraction is rounded; what is
 * not finite is named as it is.
 */
export function withThousands(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const whole = Math.round(value);
  return `${whole < 0 ? '-' : ''}${BigInt(Math.abs(whole)).toString().replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}`;
}
