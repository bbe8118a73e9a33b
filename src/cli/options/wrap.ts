export const helpIndent = '  ';
export const helpWidth = 80;
/** The width of a line below the title of a section. */
export const helpLineWidth = helpWidth - helpIndent.length;

/** Breaks a plain text at its spaces. */
export function wrapPlain(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
