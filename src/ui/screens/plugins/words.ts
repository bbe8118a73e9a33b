import { glyphs } from '../../../terminal/glyphs.ts';
import { type SafeText, safe } from '../../../terminal/safe-text.ts';

/** Whether a plugin is active (§2.8), in a word; `undefined`: its node does not say. */
export const activityText = (active: boolean | undefined): SafeText => (active === undefined ? safe`not told` : active ? safe`active` : safe`inactive`);

/** The same in one column, where it must be seen without its colour. */
export const activitySign = (active: boolean | undefined): SafeText => (active === undefined ? safe`?` : active ? glyphs.running : glyphs.stopped);
