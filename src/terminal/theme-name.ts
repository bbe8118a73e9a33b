export const themeNames = ['auto', 'dark', 'light', 'high-contrast', '16', 'mono'] as const;
/** `auto` follows what the terminal can show, and its background. */
export type ThemeName = (typeof themeNames)[number];
