/** Seed of all random tests. `BROKERTOP_SEED=7` tries other cases. */
export const seed = Number(process.env['BROKERTOP_SEED'] ?? 1);
