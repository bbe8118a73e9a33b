import { type Sentence, withShortNames } from '../../domain/sentence.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import {
  composeEnds,
  composeLine,
  joinLines,
  type Line,
  type Span,
  spansWidth,
  widestFittingSpans,
  wrapWords,
} from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, spaces, trusted } from '../../terminal/safe-text.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';
import { cutText, fit, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { type TriageReport } from '../../triage/view.ts';
import { positionText, windowOf } from '../../tui/hooks/use-scroll.ts';
import { type TriageItem, triageSummary } from './items.ts';
import { cursorSpan } from '../../tui/components/blocks.ts';
import type { DrawSpare } from '../../resources/view/spare-panels.tsx';
import { howLong, markedTitle, severitySpan, triageTexts } from '../../resources/problems/view/texts.ts';
import { checkOf, type NextContext, problemFacts, problemParts } from '../../checks/words.ts';
import { boxLines } from '../../tui/components/panel.ts';
import { factsText, nextRows } from '../../resources/problems/view/problem-rows.ts';

/** Words that lines of checks begin with. */
const checkWords: Readonly<Record<Exclude<TriageItem['kind'], 'finding'>, Span>> = {
  note: { text: triageTexts.note, role: 'warning' },
  pending: { text: triageTexts.pending, role: 'accent' },
  unchecked: { text: triageTexts.notChecked, role: 'warning' },
  ok: { text: triageTexts.ok, role: 'ok' },
  absent: { text: triageTexts.absent, role: 'dim' },
};

const wordOf = ({ kind, finding }: TriageItem, isShort: boolean): Span => {
  if (kind === 'absent' && isShort) return { ...checkWords.absent, text: triageTexts.absentShort };
  if (kind !== 'finding') return checkWords[kind];
  return finding === undefined ? { text: safe`` } : severitySpan(finding);
};

const titleWidth = 16;
const maxLines = 4;
/** Below this width problems have short ages. */
const narrow = 70;
const minAgeWidth = 9;
/** The width from which on evidence has a column of its own, and problems have a check title. */
const wideWidth = 96;

const narrowWordWidth = 12;

/** The share of the room that a problem may take beside its evidence. */
const maxProblemShare = 0.7;

/** Draws a line for an item. Where nothing else shows it in full, the selected one has several. */
const itemLines = (
  theme: Theme,
  width: number,
  item: TriageItem,
  isCursor: boolean,
  { nowMs, nodes }: NextContext,
  hasDetails: boolean,
  widestProblem: number,
): readonly Line[] => {
  const shown = (sentence: Sentence): SafeText => sentenceText(theme, withShortNames(sentence, nodes), width);
  const isWide = width >= wideWidth;
  const word = wordOf(item, !isWide);
  const age = item.finding === undefined ? safe`` : safe`${howLong(item.finding, nowMs, width < narrow)} `;
  const hasTitle = isWide || item.finding === undefined;
  const ownWidth = hasTitle ? titleWidth : 0;
  const wordWidth = isWide ? 14 : narrowWordWidth;
  const lead = 2 + wordWidth + ownWidth;
  const room = Math.max(12, width - lead - (item.finding === undefined ? 1 : Math.max(minAgeWidth, widthOf(age) + 1)));
  const base: Role = isCursor ? 'cursor' : 'normal';
  const title = hasTitle ? trusted(checkOf(item.check).title) : safe``;
  const cursor: Span = isCursor ? cursorSpan(theme) : { text: safe` ` };
  const own: readonly Span[] = [
    cursor,
    { text: safe` ${fit(word.text, wordWidth)}`, role: word.role },
    { text: fit(title, ownWidth), role: 'title' },
  ];
  const ends = (text: SafeText, evidence: SafeText = safe``): Line =>
    composeEnds(
      theme,
      width,
      [
        ...own,
        { text, role: item.kind === 'ok' || item.kind === 'absent' ? 'dim' : 'normal' },
        { text: evidence, role: 'dim' },
      ],
      [{ text: age, role: 'dim' }],
      base,
    );
  const text = shown(item.text);
  if (isWide && item.finding !== undefined) {
    const problemWidth = Math.min(widestProblem + 2, Math.floor(room * maxProblemShare));
    const problem = shown(markedTitle(problemParts(item.finding).title, item.finding));
    const facts = problemParts(item.finding).facts.map(shown);
    if (facts.length === 0) return [ends(cutText(problem, room))];
    const factsRoom = room - problemWidth;
    const all = joinSafe(problemFacts(item.finding).map(shown), safe` · `);
    return [
      ends(
        fit(cutText(problem, problemWidth - 2), problemWidth),
        widthOf(all) <= factsRoom ? all : cutText(factsText(facts, factsRoom), factsRoom),
      ),
    ];
  }
  if (hasDetails || !isCursor) {
    if (item.finding === undefined) return [ends(cutText(text, room))];
    const problem = cutText(shown(markedTitle(problemParts(item.finding).title, item.finding)), room);
    const evidence = factsText(problemFacts(item.finding).map(shown), room - widthOf(problem) - 2);
    return [widthOf(problem) + 2 + widthOf(evidence) > room ? ends(problem) : ends(safe`${problem}  `, evidence)];
  }
  const lines = wrapWords(text, room);
  return lines.slice(0, maxLines).map((line, index) => {
    const written = index === maxLines - 1 && lines.length > maxLines ? safe`${line} ${glyphs.ellipsis}` : line;
    return index === 0
      ? ends(written)
      : composeLine(theme, width, [cursor, { text: spaces(lead - 1) }, { text: written }], base);
  });
};

/** The lines, and which item each of them belongs to. */
interface TriageView {
  readonly lines: readonly Line[];
  /**
   * Details beside the lines, where there is room for them: as high as the lines, or as their content if `client`
   * stands below.
   */
  readonly side?:
    | { readonly lines: readonly Line[]; readonly width: number; readonly client: string | undefined }
    | undefined;
  readonly idAt: (line: number) => string | undefined;
}

export const triageLines = (...args: Parameters<typeof layOutTriage>): readonly Line[] => {
  const { lines, side } = layOutTriage(...args);
  return side === undefined
    ? lines
    : lines.map((line, index) => joinLines(line, side.lines[index] ?? composeLine(args[0], side.width, [])));
};

/** Lines that stay in sight below the cursor while the list scrolls. */
const linesAhead = 2;

const minSidesWidth = 100;
const minSidesHeight = 24;
/** The width from which on the details stand beside the list. */
const minPairWidth = 150;
const listShare = 0.62;
/** Below this height the list needs every line. */
const minNextHeight = 14;
const maxNextLines = 3;
const maxPairNextLines = 8;
/** The smallest height of the panel of a client. */
const minClientHeight = 22;

export const layOutTriage = (
  theme: Theme,
  width: number,
  height: number,
  report: TriageReport,
  items: readonly TriageItem[],
  cursorIndex: number,
  context: NextContext,
  spare?: DrawSpare,
): TriageView => {
  const hasSides = width >= minSidesWidth && height >= minSidesHeight;
  const isPair = hasSides && width >= minPairWidth;
  const listWidth = isPair ? Math.floor(width * listShare) : width;
  const detailWidth = isPair ? width - listWidth : width;
  const inner = hasSides ? listWidth - 2 : width;
  const selected = items[cursorIndex];
  const nextLines = isPair ? maxPairNextLines : hasSides || height >= minNextHeight ? maxNextLines : 0;
  const next =
    selected === undefined
      ? []
      : detailLines(
          theme,
          isPair ? detailWidth - 3 : hasSides ? detailWidth - 2 : width,
          nextLines,
          hasSides,
          selected,
          context,
        );
  // The title, or the borders of panels, and the last line.
  const room = Math.max(
    1,
    isPair ? height - 2 : height - (hasSides ? 4 + Math.max(minDetailLines, next.length) : 2 + nextLines),
  );
  const widestProblem = Math.max(
    0,
    ...items.map(({ finding }) =>
      finding === undefined
        ? 0
        : widthOf(
            sentenceText(
              theme,
              withShortNames(markedTitle(problemParts(finding).title, finding), context.nodes),
              inner,
            ),
          ),
    ),
  );
  const blocks = items.map((item, index) =>
    itemLines(theme, inner, item, index === cursorIndex, context, hasSides, widestProblem),
  );
  const lines = blocks.flat();
  // The worst problems stay in sight as long as they can: a new one comes above the cursor.
  const start = blocks.slice(0, cursorIndex).reduce((sum, block) => sum + block.length, 0);
  const end = start + (blocks[cursorIndex]?.length ?? 0);
  const window = windowOf(lines.length, room, Math.max(0, Math.min(start, end + linesAhead - room)));
  const shown = lines.slice(window.from, window.to);
  const position = positionText(window, lines.length);
  const title: readonly Span[] = [{ text: safe` ${triageTexts.triage}`, role: 'header' }];
  const brief = triageSummary(report, true);
  const summary =
    widestFittingSpans(
      [triageSummary(report), brief, brief.slice(0, 1)],
      listWidth - spansWidth(title) - (hasSides ? 10 : 2),
    ) ?? [];
  const ids = blocks.flatMap((block, index) => block.map(() => items[index]?.id)).slice(window.from, window.to);
  const hint = window.maxTop > 0 ? position : triageTexts.openHint;
  const filled = (body: readonly Line[], columns: number, rows: number): readonly Line[] =>
    [...body, ...Array.from({ length: Math.max(0, rows - body.length) }, () => composeLine(theme, columns, []))].slice(
      0,
      Math.max(rows, 0),
    );
  if (hasSides) {
    const below = (
      spare?.(listWidth, height - shown.length - 2 - (isPair ? 0 : Math.max(minDetailLines, next.length) + 2)) ?? []
    ).map((row) => composeLine(theme, listWidth, row));
    const list = boxLines(
      theme,
      listWidth,
      { title: triageTexts.triage, note: summary, border: 'accent' },
      isPair && below.length === 0 ? filled(shown, inner, room) : shown,
    );
    const clientId = selected?.finding?.jump.clientId;
    const client = isPair && height - next.length - 2 >= minClientHeight ? clientId : undefined;
    const detailRows = isPair
      ? client === undefined
        ? height - 2
        : next.length
      : height - 2 - list.length - below.length;
    // The panel of a client leaves a column free, too.
    const boxWidth = isPair ? detailWidth - 1 : detailWidth;
    const details = boxLines(
      theme,
      boxWidth,
      { title: selected === undefined ? safe`` : trusted(checkOf(selected.check).title), note: hint },
      filled(next, boxWidth - 2, detailRows),
    );
    const idAt = (line: number): string | undefined => ids[line - 1];
    if (!isPair) return { lines: [...list, ...details, ...below].slice(0, height), idAt };
    return {
      lines: [...list, ...below].slice(0, height),
      side: { lines: details.map((line) => joinLines(composeLine(theme, 1, []), line)), width: detailWidth, client },
      idAt,
    };
  }
  return {
    lines: [
      composeEnds(theme, width, title, [...summary, { text: safe` ` }]),
      ...filled(shown, inner, room),
      ...filled(next, inner, nextLines),
      composeLine(theme, width, [{ text: safe` ${hint}`, role: 'dim' }]),
    ].slice(0, height),
    // Below the title.
    idAt: (line) => ids[line - 1],
  };
};

const minDetailLines = 6;
const maxFacts = 12;
/** So many clients of a problem are named. */
const maxIds = 8;

/** Draws the next step for a problem; with `hasFacts` below what is known of it, or of any other check. */
const detailLines = (
  theme: Theme,
  width: number,
  nextLines: number,
  hasFacts: boolean,
  { finding, text }: TriageItem,
  context: NextContext,
): readonly Line[] => {
  const next = nextRows(theme, width - 2, finding, nextLines, context, hasFacts ? undefined : narrowWordWidth).map(
    (row) => composeLine(theme, width, row),
  );
  if (!hasFacts) return next;
  const paragraph = (sentence: Sentence, role: Role): readonly Line[] =>
    wrapWords(sentenceText(theme, withShortNames(sentence, context.nodes)), width - 4).map((line) =>
      composeLine(theme, width, [{ text: safe`  ` }, { text: line, role }]),
    );
  if (finding === undefined) return paragraph(text, 'normal');
  const facts = problemFacts(finding).slice(0, maxFacts);
  const ids = finding.jump.found?.clientIds ?? [];
  const shown = ids.length > maxIds ? ids.slice(0, maxIds - 1) : ids;
  const row = (text: SafeText): Line =>
    composeLine(theme, width, [{ text: safe`  ` }, { text: cutText(text, width - 4), role: 'dim' }]);
  return [
    ...paragraph(problemParts(finding).title, 'title'),
    ...facts.flatMap((fact) => paragraph(fact, 'dim')),
    ...shown.map((id) => row(theme.escape(id, width))),
    ...(shown.length < ids.length ? [row(triageTexts.more(ids.length - shown.length))] : []),
    composeLine(theme, width, []),
    ...next,
  ];
};
