/**
 * Replaces the text between `<!-- name: … -->` and `<!-- /name -->`.
 *
 * @param body the new text, or a function of the current one
 * @throws Error when there is no section of that name
 */
export function replaceSection(readme: string, name: string, body: string | ((before: string) => string)): string {
  const section = new RegExp(`(<!-- ${name}: [^>]*-->\n)([^]*?)(<!-- /${name} -->)`, 'u');
  if (!section.test(readme)) throw new Error(`README.md has no section for ${name}.`);
  return readme.replace(section, (_, start: string, before: string, end: string) => `${start}\n${(typeof body === 'string' ? body : body(before)).trim()}\n\n${end}`);
}
