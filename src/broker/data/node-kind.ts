import type { NodeState } from './persistent-state.ts';
import { Fields } from './fields.ts';
import type { RecordKind } from './record-kind.ts';

/** What an operator changed on one node: hot settings and plugins. Their keys and values are judged by whoever uses them. */
export type NodeRecord = NodeState & { readonly node: string };

export const nodeKind: RecordKind<NodeRecord> = {
  name: 'nodes',
  version: 1,
  keyOf: ({ node }) => node,
  encode: ({ node, settings, plugins }) => ({ node, settings, plugins }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      node: fields.text('node'),
      settings: fields.fields('settings').texts(),
      plugins: fields.fields('plugins').map((plugin) => ({
        active: plugin.flag('active'),
        settings: plugin.fields('settings').texts(),
      })),
    };
  },
};
