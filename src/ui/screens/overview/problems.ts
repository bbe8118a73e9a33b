import { formatCount } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { type Span, wrapWords } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { Finding } from '../../../triage/check.ts';
import type { TriageSummary } from '../../../triage/standing.ts';
import { endsRow, fillRows, type SpanRow, titleRow } from '../../components/blocks.ts';
import { countOf, countText, fineText, howLong, sentenceText, unjudgedText } from '../triage/finding-words.ts';

export interface ProblemsView {
  /** Worst first. */
  readonly findings: readonly Finding[];
  readonly standing: TriageSummary;
  readonly nowMs: number;
  /** The finding that Enter goes to. */
  readonly cursorKey?: string | undefined;
}

/** A text of one or more lines. */
interface Item {
  readonly lead: readonly Span[];
  readonly text: SafeText;
  readonly role: Role;
  /** At the right end of its first line. */
  readonly note: SafeText;
  /** A shorter form where not everything fits. */
  readonly brief?: Pick<Item, 'text' | 'note'> | undefined;
}

const leadWidth = 3;

/** Width left beside the note. */
const roomFor = (width: number, note: SafeText): number => Math.max(8, width - leadWidth - (note === '' ? 1 : widthOf(note) + 3));

/** The shorter text, with the full note where it fits. */
const inBrief = (width: number, { note }: Item, brief: Pick<Item, 'text' | 'note'>): Pick<Item, 'text' | 'note'> =>
  (widthOf(brief.text) <= roomFor(width, note) ? { ...brief, note } : brief);

/** The lines of an item; the last one ends with a mark where it is cut. */
const itemRows = (width: number, item: Item, maxLines: number): readonly SpanRow[] => {
  const { lead, role } = item;
  const wrapped = wrapWords(item.text, roomFor(width, item.note));
  const isBrief = item.brief !== undefined && wrapped.length > maxLines;
  const { text, note } = isBrief ? inBrief(width, item, item.brief) : item;
  const lines = maxLines < 2 ? [text] : isBrief ? wrapWords(text, roomFor(width, note)) : wrapped;
  const ending: SpanRow = note === '' ? [] : [{ text: safe`${note} `, role: 'dim' }];
  return lines.slice(0, maxLines).map((line, index) => {
    const isCut = index === maxLines - 1 && lines.length > maxLines;
    const words: Span = { text: isCut ? safe`${line} ${glyphs.ellipsis}` : line, role };
    return index === 0 ? endsRow(width, [...lead, words], ending) : [{ text: safe`   ` }, words];
  });
};

const linesWanted = (width: number, item: Item): number => itemRows(width, item, 9).length;

/** Below this width the age is left out. */
const narrowWidth = 70;

const findingItem = (theme: Theme, width: number, finding: Finding, view: ProblemsView): Item => ({
  lead: [
    { text: finding.key === view.cursorKey ? glyphs.cursor : safe` ` },
    { text: safe`${finding.severity === 'error' ? safe`!` : glyphs.up} `, role: finding.severity },
  ],
  text: sentenceText(theme, finding.parts),
  role: finding.severity,
  note: howLong(finding, view.nowMs, width < narrowWidth),
  brief: finding.brief === undefined ? undefined : { text: sentenceText(theme, finding.brief), note: howLong(finding, view.nowMs, true) },
});

/** One line each, then more for the first items that need them. */
const shareOut = (width: number, height: number, items: readonly Item[]): readonly SpanRow[] => {
  let spare = height - items.length;
  return items.flatMap((item) => {
    const more = Math.max(0, Math.min(spare, linesWanted(width, item) - 1));
    spare -= more;
    return itemRows(width, item, 1 + more);
  });
};

const bodyRows = (theme: Theme, width: number, height: number, view: ProblemsView): readonly SpanRow[] => {
  const { findings, standing, nowMs, cursorKey } = view;
  const unjudged = unjudgedText(theme, standing, nowMs);
  const doubt: readonly Item[] = unjudged === '' ? [] : [{ lead: [{ text: safe` ? `, role: 'warning' }], text: unjudged, role: 'normal', note: safe`` }];
  const fine: readonly Item[] = standing.fine.length === 0 ? [] : [{ lead: [{ text: safe` ${glyphs.running} `, role: 'ok' }], text: fineText(standing), role: findings.length === 0 ? 'normal' : 'dim', note: safe`` }];
  if (findings.length === 0) {
    return shareOut(width, height, [...doubt, ...fine]);
  }
  const items = [...findings.map((finding) => findingItem(theme, width, finding, view)), ...doubt];
  if (items.length <= height) {
    const isRoomy = items.reduce((sum, item) => sum + linesWanted(width, item), 0) < height;
    return shareOut(width, height, isRoomy ? [...items, ...fine] : items);
  }
  const kept = Math.max(0, height - 1);
  const at = findings.findIndex(({ key }) => key === cursorKey);
  const from = Math.max(0, Math.min(at - kept + 1, findings.length - kept));
  const hidden = countOf(findings) - countOf(findings.slice(from, from + kept));
  const more: Span = { text: safe`   +${formatCount(hidden)} more`, role: 'error' };
  const doubtful: readonly Span[] = unjudged === '' ? [] : [{ text: safe`, and ${unjudged}` }];
  return [...items.slice(from, from + kept).flatMap((item) => itemRows(width, item, 1)), [more, ...doubtful]];
};

/** Problems, worst first, in exactly `height` rows and a title; then what was checked and what could not be. */
export const problemRows = (theme: Theme, width: number, height: number, hasTitle: boolean, view: ProblemsView): readonly SpanRow[] => {
  const body = fillRows(bodyRows(theme, width, height, view), height);
  const { findings } = view;
  return hasTitle
    ? [titleRow(width, safe`What is wrong`, findings.length === 0 ? undefined : countText(findings), findings[0]?.severity), ...body]
    : body;
};
