/** Puts a text between the marks of a section of README.md, `<!-- name: … -->` and `<!-- /name -->`. @throws Error when there is none of that name. */
export function replaceSection(readme: string, name: string, body: string): string {
  const section = new RegExp(`(<!-- ${name}: [^>]*-->\n)[^]*?(<!-- /${name} -->)`, 'u');
  if (!section.test(readme)) throw new Error(`README.md has no section for ${name}.`);
  return readme.replace(section, (_, start: string, end: string) => `${start}\n${body.trim()}\n\n${end}`);
}
