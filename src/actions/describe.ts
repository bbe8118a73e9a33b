import { BrokerError } from '../api/errors.ts';
import type { Action, ActionPart, ActionResult, ActionWords } from './action.ts';
import { listNodes, outcomeTexts } from './texts.ts';

export type Described = ActionWords & Pick<Action, 'isQuestion' | 'each'>;

export const isSuccess = ({ outcome }: Pick<ActionResult, 'outcome'>): boolean =>
  outcome === 'done' || outcome === 'accepted';

export const isSkipped = ({ reason }: Pick<ActionResult, 'reason'>): boolean =>
  reason === 'changed' || reason === 'absent';

export function describeResult(action: Described, result: ActionResult): string {
  const { outcome, wasSent, parts } = result;
  if (action.each !== undefined)
    return [outcomeTexts[outcome](action), countUrls(parts), ...parts.map(describeUrl)].join(' ');
  const reasons = reasonsOf(result);
  if (isSkipped(result)) return outcomeTexts.skipped(action, reasons.join(' '));
  if (!wasSent)
    return [(outcome === 'done' ? outcomeTexts.nothingToDo : outcomeTexts.notSent)(action), ...reasons].join(' ');
  const onNodes = parts.filter(({ node }) => node !== undefined);
  const unchanged = onNodes.flatMap(({ node, wasAlready }) =>
    wasAlready === true && node !== undefined ? [node] : [],
  );
  const changed = onNodes.filter(isSuccess).length - unchanged.length;
  // The first sentence is about all of them.
  const counts =
    onNodes.length < 2 || changed === onNodes.length
      ? []
      : [
          outcomeTexts.nodes(
            onNodes.length,
            changed,
            unchanged,
            onNodes.filter((part) => part.outcome === 'unknown').length,
          ),
        ];
  return [outcomeTexts[outcome](action), ...counts, ...reasons].join(' ');
}

export function reasonsOf(result: ActionResult): readonly string[] {
  const { why, error, auditError } = result;
  const sentences: string[] = [];
  if (why !== undefined) sentences.push(why);
  else if (error !== undefined && !isSuccess(result)) sentences.push(error.message);
  if (error instanceof BrokerError && error.brokerMessage !== undefined && !isSuccess(result)) {
    const said = outcomeTexts.brokerSays(error.brokerMessage);
    if (sentences.every((sentence) => !sentence.toLowerCase().includes(error.brokerMessage?.toLowerCase() ?? '')))
      sentences.push(said);
  }
  if (auditError !== undefined) sentences.push(outcomeTexts.notRecorded(auditError));
  return sentences;
}

const urlWord = ({ outcome, wasAlready }: ActionPart): string =>
  wasAlready === true ? outcomeTexts.unchanged : outcomeTexts.words[outcome];

export function countUrls(parts: readonly ActionPart[]): string {
  const { words, unchanged } = outcomeTexts;
  const byWord = [words.done, unchanged, words.accepted, words['not-done'], words.unknown].map(
    (word) => [word, parts.filter((part) => urlWord(part) === word).length] as const,
  );
  return outcomeTexts.urls(parts.length, byWord);
}

export const describeUrl = (part: ActionPart): string => outcomeTexts.url(part.node ?? '', urlWord(part), part.text);

export function textsOf(parts: readonly ActionPart[]): readonly string[] {
  const byText = new Map<string, readonly ActionPart[]>();
  for (const part of parts)
    if (part.text !== undefined) byText.set(part.text, [...(byText.get(part.text) ?? []), part]);
  return [...byText].map(([text, those]) => {
    const nodes = those.flatMap(({ node }) => (node === undefined ? [] : [node]));
    return nodes.length === 0 || those.length === parts.length ? text : `${listNodes(nodes)}: ${text}`;
  });
}
