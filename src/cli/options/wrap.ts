export const helpIndent = '  ';
export const helpWidth = 80;
/** Of a line of a section. */
export const helpLineWidth = helpWidth - helpIndent.length;

/** The lines of a plain text, broken at its spaces. */
export function wrapPlain(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
