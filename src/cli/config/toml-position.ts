import { type AST, parseTOML } from 'toml-eslint-parser';

export interface Position {
  readonly line: number;
  /** Counts from 1. */
  readonly column: number;
}

type Path = readonly PropertyKey[];

const startsWith = (path: Path, start: Path): boolean =>
  start.every((key, index) => String(path[index]) === String(key));

const keysOf = ({ keys }: AST.TOMLKey): string[] => keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));

const positionOf = ({ loc: { start } }: Pick<AST.TOMLNode, 'loc'>): Position => ({
  line: start.line,
  column: start.column + 1,
});

/** Finds the deepest part of `path` that the nodes hold: its key, or its value where it is in an array. */
function deepest(nodes: readonly (AST.TOMLKeyValue | AST.TOMLTable)[], path: Path): Position | undefined {
  for (const node of nodes) {
    const keys = node.type === 'TOMLTable' ? node.resolvedKey : keysOf(node.key);
    if (!startsWith(path, keys)) {
      // An intermediate key of a longer one: `[contexts.prod]` holds `contexts`.
      if (path.length > 0 && startsWith(keys, path)) return positionOf(node.key);
      continue;
    }
    const rest = path.slice(keys.length);
    if (rest.length === 0) return positionOf(node.key);
    const inside = node.type === 'TOMLTable' ? deepest(node.body, rest) : deepestIn(node.value, rest);
    if (inside !== undefined) return inside;
    // Another table may hold the rest.
    if (node.type === 'TOMLKeyValue') return positionOf(node.key);
  }
  return undefined;
}

function deepestIn(value: AST.TOMLContentNode, path: Path): Position | undefined {
  if (value.type === 'TOMLInlineTable') return deepest(value.body, path);
  const element = value.type === 'TOMLArray' ? value.elements[Number(path[0])] : undefined;
  return element === undefined ? undefined : (deepestIn(element, path.slice(1)) ?? positionOf(element));
}

/** Finds where a value of a valid TOML text stands; where its table begins if it is missing. */
export function tomlLocator(text: string): (path: Path) => Position {
  const { body } = parseTOML(text).body[0];
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const found = deepest(body, path.slice(0, length));
      if (found !== undefined) return found;
    }
    return { line: 1, column: 1 };
  };
}
