import type { Role } from '../../terminal/theme.ts';

/**
 * Roles of a graph's rows, from the axis to the top: one hue for what comes in, one for what goes out, and those of
 * problems.
 */
export const hues = {
  in: ['in1', 'in2', 'in3', 'in4', 'in5'],
  out: ['out1', 'out2', 'out3', 'out4', 'out5'],
  warning: ['warning1', 'warning2', 'warning3', 'warning4', 'warning5'],
  error: ['error1', 'error2', 'error3', 'error4', 'error5'],
} as const satisfies Record<string, readonly Role[]>;

const nearlyFull = 0.95;
const filling = 0.8;

/** Returns the hue of a queue, by how full it is. A queue that loses messages is often one short of its limit. */
export const queueHue = (length: number | undefined, limit: number | undefined): 'in' | 'warning' | 'error' => {
  const share = length === undefined || limit === undefined || limit <= 0 ? 0 : length / limit;
  return share >= nearlyFull ? 'error' : share >= filling ? 'warning' : 'in';
};

/** Returns the role of a row that is `distance` rows away from the axis. */
export const hueAt = (roles: readonly Role[], distance: number, rows: number): Role =>
  roles[Math.min(roles.length - 1, Math.floor(((distance + 0.5) / rows) * roles.length))] ?? 'normal';
