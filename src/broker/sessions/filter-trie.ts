interface TrieNode<V> {
  /** Created on demand: most nodes are leaves. */
  children: Map<string, TrieNode<V>> | undefined;
  /** Value of the filter that ends here. */
  value: V | undefined;
}

function makeNode<V>(): TrieNode<V> {
  return { children: undefined, value: undefined };
}

/** A trie of topic filters by level, each with a value. */
export class FilterTrie<V> {
  readonly #root = makeNode<V>();

  set(filter: string, value: V): void {
    let node = this.#root;
    for (const level of filter.split('/')) {
      node.children ??= new Map();
      let child = node.children.get(level);
      if (child === undefined) {
        child = makeNode();
        node.children.set(level, child);
      }
      node = child;
    }
    node.value = value;
  }

  delete(filter: string): void {
    const levels = filter.split('/');
    const path = [this.#root];
    for (const level of levels) {
      const child = path.at(-1)?.children?.get(level);
      if (child === undefined) return;
      path.push(child);
    }
    let node = path.pop();
    if (node !== undefined) node.value = undefined;
    while (node !== undefined && node.value === undefined && (node.children?.size ?? 0) === 0) {
      node = path.pop();
      node?.children?.delete(levels[path.length] ?? '');
    }
  }

  /** Starts a search for the filters that match a topic. */
  walk(topic: string): TrieWalk<V> {
    return new TrieWalk(this.#root, topic);
  }
}

/** An interruptible search for the filters that match a topic. */
export class TrieWalk<V> {
  readonly found: V[] = [];
  readonly #levels: readonly string[];
  readonly #isSystem: boolean;
  /** Nodes still to visit, with their depths. */
  readonly #nodes: TrieNode<V>[];
  readonly #depths: number[] = [0];

  constructor(root: TrieNode<V>, topic: string) {
    this.#nodes = [root];
    this.#levels = topic.split('/');
    this.#isSystem = topic.startsWith('$');
  }

  /** Visits at most `maxSteps` nodes and returns their number; done when it is smaller. */
  advance(maxSteps: number): number {
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const node = this.#nodes.pop();
      const depth = this.#depths.pop();
      if (node === undefined || depth === undefined) return steps;
      this.#look(node, depth);
    }
    return maxSteps;
  }

  #look({ children, value }: TrieNode<V>, depth: number): void {
    // A wildcard in the first level does not match topics that start with `$`.
    const takesWildcards = depth > 0 || !this.#isSystem;
    const open = takesWildcards ? children?.get('#')?.value : undefined;
    if (open !== undefined) this.found.push(open);
    const level = this.#levels[depth];
    if (level === undefined) {
      if (value !== undefined) this.found.push(value);
      return;
    }
    this.#push(children?.get(level), depth + 1);
    if (takesWildcards) this.#push(children?.get('+'), depth + 1);
  }

  #push(node: TrieNode<V> | undefined, depth: number): void {
    if (node === undefined) return;
    this.#nodes.push(node);
    this.#depths.push(depth);
  }
}
