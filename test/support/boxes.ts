/** Dialogs stand in a box over a screen; tests look at what is in it. */

const top = /[╭+] (?<title>\S.*?) [─-]*[╮+]/u;

/** Finds the box that has nothing but its title in the border; the last one if there are several. */
const findBox = (
  lines: readonly string[],
):
  | {
      readonly first: number;
      readonly last: number;
      readonly title: string;
      readonly from: number;
      readonly to: number;
    }
  | undefined => {
  for (let first = lines.length - 1; first >= 0; first -= 1) {
    const match = top.exec(lines[first] ?? '');
    const title = match?.groups?.['title'];
    if (match === null || title === undefined) continue;
    const [from, to] = [match.index, match.index + match[0].length];
    const last = lines.findIndex((line, index) => index > first && /^[╰+][─-]+[╯+]$/u.test(line.slice(from, to)));
    if (
      last !== -1 &&
      lines.slice(first + 1, last).every((line) => /^[│|].*[│|]$/u.test(line.slice(from, to)) || widthDiffers(line))
    )
      return { first, last, title, from, to };
  }
  return undefined;
};

/** Wide characters take fewer characters than columns. */
const widthDiffers = (line: string): boolean => /[\u1100-\u{1FFFF}]/u.test(line);

/**
 * The lines of a dialog as they are without a box: its title in a rule, then its content; other lines stay above it.
 */
export const unboxed = (lines: readonly string[]): readonly string[] => {
  const box = findBox(lines);
  if (box === undefined) return lines;
  const { first, last, title, from } = box;
  const all = lines.slice(first + 1, last).map((line) => /^[│|](.*)[│|]/u.exec(line.slice(from))?.[1] ?? '');
  const inside = all.slice(all[0]?.trim() === '' ? 1 : 0, all.at(-1)?.trim() === '' ? -1 : undefined);
  return [...lines.slice(0, first).filter((line) => line.trim() !== ''), `── ${title}`, ...inside];
};

/** Whether a dialog whose title starts with this is shown, with a box or without. */
export const hasDialog = (lines: readonly string[], title: string): boolean =>
  lines.some((line) => line.startsWith(`── ${title}`) || line.includes(`╭ ${title}`) || line.includes(`+ ${title}`));

/** The screen on which a dialog has this room for its content: in a box where that fits, which takes some. */
export const screenFor = ([width, height]: readonly [number, number]): readonly [number, number] =>
  width < 70 || height < 14 ? [width, height] : [width + 6, height + 1];
