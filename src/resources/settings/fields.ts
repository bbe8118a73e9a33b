import type { Setting, SettingMeaning } from '../../domain/administration.ts';
import { defineFields } from '../../table/field.ts';
import type { SettingRow } from './select.ts';

export const appliesToOf = ({ byNode }: SettingRow): Setting['appliesTo'] =>
  [...byNode.values()].find(({ appliesTo }) => appliesTo !== undefined)?.appliesTo;

export const meaningOf = ({ byNode }: SettingRow): SettingMeaning | undefined =>
  [...byNode.values()].find(({ meaning }) => meaning !== undefined)?.meaning;

/** Fields that all nodes have in common; a screen adds one for each node. */
export const settingFields = defineFields<SettingRow>()({
  key: { label: 'KEY', type: 'name', get: ({ key }) => key },
  differs: {
    label: 'ALL NODES',
    type: 'flag',
    get: ({ isDifferent }) => isDifferent,
    text: ({ isDifferent }) => (isDifferent ? 'differs' : 'same'),
  },
  type: { label: 'TYPE', type: 'text', get: ({ dataType }) => dataType },
  effect: { label: 'TAKES EFFECT', type: 'text', get: appliesToOf },
  app: { label: 'APPLICATION', type: 'text', get: ({ app }) => app },
});
