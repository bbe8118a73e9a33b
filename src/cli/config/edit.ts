import { stringify } from 'smol-toml';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { UsageError } from '../errors.ts';
import { configTexts } from '../texts.ts';
import type { ContextSettings } from './settings.ts';

const nodesOf = (text: string): AST.TOMLTopLevelTable['body'] => parseTOML(text).body[0].body;

const isNamed = (key: AST.TOMLBare | AST.TOMLQuoted | undefined, name: string): boolean =>
  key !== undefined && (key.type === 'TOMLBare' ? key.name : key.value) === name;

/** Sets the context to start with. Like all changes here, it leaves comments and everything else as they are. */
export function preferContext(text: string, name: string): string {
  const present = nodesOf(text).find(
    (node) => node.type === 'TOMLKeyValue' && node.key.keys.length === 1 && isNamed(node.key.keys[0], 'context'),
  );
  if (present?.type !== 'TOMLKeyValue') return `context = ${JSON.stringify(name)}\n${text}`;
  const [start, end] = present.value.range;
  return text.slice(0, start) + JSON.stringify(name) + text.slice(end);
}

export function appendContext(text: string, name: string, settings: ContextSettings): string {
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${stringify({ contexts: { [name]: settings } })}`;
}

/** Removes a context. @throws UsageError if it is not in tables of its own, which can be cut out whole */
export function removeContext(text: string, name: string): string {
  const tables = nodesOf(text).filter(
    (node) => node.type === 'TOMLTable' && String(node.resolvedKey[0]) === 'contexts' && node.resolvedKey[1] === name,
  );
  if (tables.length === 0) throw new UsageError(configTexts.notOwnTable(name));
  return tables.reduceRight((rest, { range: [start, end] }) => {
    const next = rest.indexOf('\n', end);
    return (
      rest.slice(0, rest.lastIndexOf('\n', start) + 1) +
      (next === -1 ? '' : rest.slice(next + 1).replace(/^\r?\n/u, ''))
    );
  }, text);
}
