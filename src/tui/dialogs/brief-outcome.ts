import type { Action, ActionResult } from '../../actions/action.ts';
import { describeResult } from '../../actions/describe.ts';
import { listNodes } from '../../actions/texts.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';

/**
 * Writes the outcome in one sentence, if everything is done and there is nothing else to read or decide. Raw. @param
 * nodes all of the cluster, whose names are shortened
 */
export const briefOutcome = (action: Action, result: ActionResult, nodes: readonly NodeName[]): string | undefined => {
  const { outcome, wasSent, parts, auditError } = result;
  const isWhole =
    outcome === 'done' && wasSent && parts.every((part) => part.outcome === 'done' && part.wasAlready !== true);
  if (
    !isWhole ||
    auditError !== undefined ||
    action.each !== undefined ||
    action.isQuestion === true ||
    action.disclosure !== undefined ||
    action.staysOpen === true
  )
    return undefined;
  return describeResult(
    {
      ...action,
      past: withShortNodes(
        action.past,
        parts.flatMap(({ node }) => node ?? []),
        nodes,
      ),
    },
    result,
  );
};

/**
 * Shortens the nodes that a sentence ends with: `on broker1, broker2`, `on all nodes`. What stands before them may look
 * like a node's name.
 */
const withShortNodes = (past: string, changed: readonly NodeName[], nodes: readonly NodeName[]): string => {
  const all = listNodes(changed);
  if (all === '') return past;
  if (past.endsWith(` (${all})`)) return past.slice(0, -` (${all})`.length);
  return past.endsWith(` on ${all}`)
    ? `${past.slice(0, -all.length)}${listNodes(changed.map((node) => shortNodeName(node, nodes)))}`
    : past;
};
