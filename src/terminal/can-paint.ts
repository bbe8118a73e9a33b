/** Variables of the environment that name the terminal; `process.env` fits. */
export type TerminalEnv = Readonly<Record<string, string | undefined>>;

/** Terminals that do not say what they are, or say that they can put nothing in a place of its own. */
const unable: ReadonlySet<string> = new Set(['', 'dumb', 'unknown']);

/**
 * Whether the terminal can be painted on: it puts text where it is told. All that know so much scroll a part of
 * the screen too, and let pass what else the painter sends. Windows terminals can, and say nothing.
 */
export const canPaint = (env: TerminalEnv, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'win32' ? env['TERM'] !== 'dumb' : !unable.has(env['TERM'] ?? '');
