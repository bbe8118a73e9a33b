import type { Action, ActionResult } from '../../actions/action.ts';
import { addBan } from '../../actions/bans.ts';
import { disconnectClient } from '../../actions/clients.ts';
import { describeResult } from '../../actions/describe.ts';
import { listNodes } from '../../actions/texts.ts';
import { type NodeName, shortNodeNames } from '../../domain/node.ts';

/** Their dialogs stay open and say what they lead to. */
const watchedActions: ReadonlySet<string> = new Set([disconnectClient.id, addBan.id]);

/** The outcome in one sentence, if everything is done and there is nothing else to read or decide. Raw. @param nodes all of the cluster, whose names are shortened */
export const briefOutcome = (action: Action, result: ActionResult, nodes: readonly NodeName[]): string | undefined => {
  const { outcome, wasSent, parts, auditError } = result;
  const isWhole = outcome === 'done' && wasSent && parts.every((part) => part.outcome === 'done' && part.wasAlready !== true);
  if (!isWhole || auditError !== undefined || action.each !== undefined || action.isQuestion === true || action.disclosure !== undefined || watchedActions.has(action.name)) return undefined;
  const changed = parts.flatMap(({ node }) => node ?? []);
  const text = describeResult(action, result).replace(` (${listNodes(changed)})`, '');
  return changed.length === 0 ? text : [...shortNodeNames(nodes)].reduce((shortened, [node, short]) => shortened.replaceAll(node, short), text);
};
