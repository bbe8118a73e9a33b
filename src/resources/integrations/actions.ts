import type { Read, Undoing } from '../../actions/action.ts';
import { type ActionParts, type Ask, defineAction, type ShownRows } from '../../actions/define-action.ts';
import type { DialogOrRefusal } from '../../actions/requests.ts';
import { undoTexts } from '../../actions/texts.ts';
import { defineUndo } from '../../actions/undo.ts';
import { asWanted, notAsWanted, orUnsupported } from '../../actions/verification.ts';
import type { Integration, StartableKind } from '../../domain/integrations.ts';
import type { Effects } from '../../monitor/state.ts';
import { unknownText } from '../../terminal/format.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { alarms } from '../alarms/resource.ts';
import { offered } from '../offered.ts';
import { statusText } from './fields.ts';
import { integrations } from './resource.ts';
import type { IntegrationRow } from './select.ts';
import { integrationSentences, integrationTexts, integrationWords } from './texts.ts';

export type ShownIntegrations = ShownRows<IntegrationRow>;

const effects: Effects = { refresh: [integrations, alarms] };

const find = async (
  read: Read,
  kind: Integration['kind'],
  id: string,
): Promise<{ readonly part: Integration | undefined; readonly all: readonly Integration[] }> => {
  const all = await read(async (api, options) => offered(api, 'listIntegrations', 'integrations')(options));
  return { part: all.find((each) => each.kind === kind && each.id === id), all };
};

const isConnected = ({ nodes }: Integration): boolean =>
  nodes.size > 0 && [...nodes.values()].every(({ status }) => status === 'connected');

const common = { capability: 'integrations', where: 'Integrations' } as const;

const undoEnabled = defineUndo(
  (kept) => ({ id: kept.text('id'), sql: kept.optionalText('sql'), isEnabled: kept.flag('isEnabled') }),
  async ({ id, sql, isEnabled }, read): Promise<Undoing> => {
    const { part: now } = await find(read, 'rule', id);
    if (now === undefined) return { refused: undoTexts.changedSince(integrationSentences.gone) };
    if (now.sql !== sql) return { refused: undoTexts.changedSince(integrationSentences.changed) };
    return { action: (isEnabled ? disableRule : enableRule).create(now) };
  },
);

/** Makes the broker connect again at once, instead of at its next attempt. */
export const startIntegration = defineAction({
  ...common,
  id: 'start-integration',
  label: 'reconnect a connector, action or source',
  danger: 'changes',
  key: {
    id: 'startIntegration',
    keys: ['R'],
    label: 'reconnect',
    help: 'Reconnect the connector, action or source on all nodes; asks first',
    scope: 'integrations',
    words: 'connect start',
    aliases: ['restart'],
  },
  ask: (theme, { row, rows }: ShownIntegrations): Ask | undefined => row && (() => startRequest(theme, row, rows)),
  operations: ['startIntegration'],
  confirmation: 'y/N',
  auditFields: ['kind', 'id'],
  create({ kind, id }: { readonly kind: StartableKind; readonly id: string }) {
    return {
      target: { kind, id },
      ...integrationWords.start(kind, id),
      async recheck(read) {
        const { part, all } = await find(read, kind, id);
        if (part === undefined) return { changed: integrationSentences.gone };
        const connector = all.find((each) => each.kind === 'connector' && each.id === part.connector);
        if (part.isEnabled === false || connector?.isEnabled === false)
          return { changed: integrationSentences.disabled };
        if (isConnected(part)) return { already: integrationSentences.alreadyConnected };
        return {
          plan: {
            before: Object.fromEntries([...part.nodes].map(([node, { status }]) => [node, status])),
            after: Object.fromEntries([...part.nodes.keys()].map((node) => [node, 'connected'])),
            requests: [
              {
                node: undefined,
                send: (api, options) =>
                  orUnsupported('connect an integration', api.startIntegration?.(kind, id, options)),
              },
            ],
            async verify(again) {
              const { part: now } = await find(again, kind, id);
              if (now === undefined) return [notAsWanted(integrationSentences.missing)];
              const down = [...now.nodes.values()].find(({ status }) => status !== 'connected');
              return [down === undefined ? asWanted : notAsWanted(integrationSentences.status(down))];
            },
          },
        };
      },
      effects: () => effects,
    };
  },
});

export const enableRule = defineAction({
  ...common,
  id: 'enable-rule',
  label: 'enable a rule on all nodes',
  danger: 'changes',
  key: {
    id: 'enableRule',
    keys: ['S'],
    label: 'enable',
    help: 'Enable the rule on all nodes; asks first',
    scope: 'integrations',
  },
  ask: (theme, { row }: ShownIntegrations): Ask | undefined => row && (() => ruleRequest(theme, row, true)),
  operations: ['setRuleEnabled'],
  confirmation: 'y/N',
  auditFields: ['rule'],
  undo: undoEnabled.plan,
  create: (rule: Integration) => setEnabled(rule, true),
});

/** Disables a rule, which forwards no message until it is enabled again. */
export const disableRule = defineAction({
  ...common,
  id: 'disable-rule',
  label: 'disable a rule on all nodes',
  danger: 'destroys',
  key: {
    id: 'disableRule',
    keys: ['K'],
    label: 'disable',
    help: 'Disable the rule on all nodes; asks you to type its ID',
    scope: 'integrations',
  },
  ask: (theme, { row }: ShownIntegrations): Ask | undefined => row && (() => ruleRequest(theme, row, false)),
  operations: ['setRuleEnabled'],
  confirmation: 'type the ID',
  auditFields: ['rule'],
  undo: undoEnabled.plan,
  create: (rule: Integration) => setEnabled(rule, false),
});

const isSameRule = (a: Integration, b: Integration): boolean =>
  a.sql === b.sql && JSON.stringify(a.actions) === JSON.stringify(b.actions);

function setEnabled(rule: Integration, isEnabled: boolean): ActionParts<'rule'> {
  const { id } = rule;
  return {
    target: { rule: id },
    ...integrationWords.setEnabled(id, isEnabled),
    async recheck(read) {
      const { part: before } = await find(read, 'rule', id);
      if (before === undefined) return { changed: integrationSentences.gone };
      if (!isSameRule(before, rule)) return { changed: integrationSentences.changed };
      if (before.isEnabled === isEnabled) return { already: integrationSentences.already(isEnabled) };
      return {
        plan: {
          before: { enabled: before.isEnabled },
          after: { enabled: isEnabled },
          requests: [
            {
              node: undefined,
              send: (api, options) =>
                orUnsupported('enable or disable a rule', api.setRuleEnabled?.(id, isEnabled, options)),
            },
          ],
          async verify(again) {
            const { part: now } = await find(again, 'rule', id);
            if (now === undefined) return [notAsWanted(integrationSentences.missing)];
            return [
              now.isEnabled === isEnabled ? asWanted : notAsWanted(integrationSentences.isEnabled(now.isEnabled)),
            ];
          },
        },
      };
    },
    changed: () => undoEnabled.changed({ id, sql: rule.sql, isEnabled }),
    effects: () => effects,
  };
}

const statusLines = (theme: Theme, { part }: IntegrationRow): readonly SafeText[] =>
  [...part.nodes].map(([node, { status, reason }]) =>
    integrationTexts.onNode(
      theme.escape(node, 200),
      safe`${status === undefined ? unknownText : trusted(status)}${reason === undefined ? safe`` : safe`: ${theme.escape(reason, 200)}`}`,
    ),
  );

/** Asks to connect a part again. The broker refuses that for what is disabled, so it is not asked. */
export function startRequest(theme: Theme, row: IntegrationRow, rows: readonly IntegrationRow[]): DialogOrRefusal {
  const { part } = row;
  const { kind, id } = part;
  if (kind === 'rule') return { refused: integrationTexts.notStartable };
  const name = theme.escape(id, 60);
  if (part.isEnabled === false) return { refused: integrationTexts.isDisabled(name) };
  const connector = rows.find((other) => other.part.kind === 'connector' && other.part.id === part.connector);
  if (connector?.part.isEnabled === false)
    return { refused: integrationTexts.connectorDisabled(theme.escape(connector.part.id, 60)) };
  if (isConnected(part)) return { refused: integrationTexts.allConnected(name) };
  return {
    request: {
      kind: 'confirm',
      question: integrationTexts.start.question(trusted(kind)),
      target: id,
      details: [
        ...(part.connector === undefined ? [] : [integrationTexts.connector(theme.escape(part.connector, 200))]),
        ...statusLines(theme, row),
      ],
      verb: integrationTexts.start.verb,
      action: startIntegration.create({ kind, id }),
    },
  };
}

/** Asks to enable or disable a rule. Disabling has to be confirmed by typing its ID. */
export function ruleRequest(theme: Theme, row: IntegrationRow, isEnabled: boolean): DialogOrRefusal {
  const { part } = row;
  if (part.kind !== 'rule') return { refused: integrationTexts.onlyRules };
  if (part.isEnabled === isEnabled) return { refused: integrationTexts.already(theme.escape(part.id, 60), isEnabled) };
  const actions = part.actions ?? [];
  const words = isEnabled ? integrationTexts.enable : integrationTexts.disable;
  return {
    request: {
      kind: 'confirm',
      question: words.question,
      target: part.id,
      details: [
        safe`${trusted(statusText(row) ?? '')}`,
        ...(part.sql === undefined ? [] : [theme.escape(part.sql, 400)]),
        actions.length === 0
          ? integrationTexts.noActions
          : integrationTexts.actions(actions.map((action) => theme.escape(action, 100))),
      ].filter((line) => line.length > 0),
      verb: words.verb,
      warning: isEnabled ? undefined : integrationTexts.stops,
      mustType: isEnabled ? undefined : part.id,
      action: (isEnabled ? enableRule : disableRule).create(part),
    },
  };
}

export const integrationActions = [startIntegration, enableRule, disableRule] as const;
