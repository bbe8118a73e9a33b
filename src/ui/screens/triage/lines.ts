import type { TextPart } from '../../../domain/text.ts';
import { formatCount } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { composeEnds, composeLine, type Line, type Span, spansWidth, wrapWords } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText, spaces, trusted } from '../../../terminal/safe-text.ts';
import { widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { type CheckResult, checkTitles, type Finding, type Jump, verdictOf } from '../../../triage/check.ts';
import type { TriageReport } from '../../../triage/triage.ts';
import { positionText, windowOf } from '../../hooks/use-scroll.ts';
import { countText, howLong, sentenceText } from './finding-words.ts';

/** A finding or a remark about a check. */
export interface TriageItem {
  readonly id: string;
  readonly check: CheckResult['check'];
  readonly kind: 'error' | 'warning' | 'unjudged' | 'fine';
  readonly sentences: readonly (readonly TextPart[])[];
  readonly finding: Finding | undefined;
  readonly jump: Jump;
}

const itemsOf = (result: CheckResult): readonly TriageItem[] => {
  const { check, doubts, evidence, jump } = result;
  const doubt: readonly TriageItem[] = doubts.length === 0 ? [] : [{ id: `${check} ?`, check, kind: 'unjudged', sentences: doubts, finding: undefined, jump }];
  return verdictOf(result) === 'fine' ? [{ id: `${check} fine`, check, kind: 'fine', sentences: [evidence], finding: undefined, jump }] : doubt;
};

/** Findings, worst first, then checks not made, then checks without findings. */
export const triageItems = ({ results, findings }: TriageReport): readonly TriageItem[] => {
  const others = results.flatMap(itemsOf);
  return [
    ...findings.map((finding): TriageItem => ({ id: finding.key, check: finding.check, kind: finding.severity, sentences: [finding.parts], finding, jump: finding.jump })),
    ...others.filter(({ kind }) => kind === 'unjudged'),
    ...others.filter(({ kind }) => kind === 'fine'),
  ];
};

const signs: Readonly<Record<TriageItem['kind'], readonly [SafeText, Role, SafeText]>> = {
  error: [safe`!`, 'error', safe`error`],
  warning: [glyphs.up, 'warning', safe`warning`],
  unjudged: [safe`?`, 'warning', safe`not judged`],
  fine: [glyphs.running, 'ok', safe`fine`],
};

const titleWidth = 19;
const maxLines = 4;
/** Below this width the names of checks are left out. */
const narrow = 70;
/** Width of the duration in the first line; more for findings last seen long ago. */
const leastAgeWidth = 13;

const itemLines = (theme: Theme, width: number, item: TriageItem, isCursor: boolean, nowMs: number, isShort: boolean): readonly Line[] => {
  const [sign, role] = signs[item.kind];
  const sentences = item.sentences.map((parts) => sentenceText(theme, parts));
  const age = item.finding === undefined ? safe`` : safe`${howLong(item.finding, nowMs, width < narrow)} `;
  const hasTitle = width >= narrow || item.finding === undefined;
  const ownWidth = hasTitle ? titleWidth : 0;
  const text = joinSafe(sentences, safe`; `);
  const room = Math.max(12, width - ownWidth - 4 - Math.max(leastAgeWidth, widthOf(age) + 1));
  const all = item.kind === 'fine' ? [text] : wrapWords(text, room);
  // Where room is short, only the selected one is shown in full.
  const isOneLine = isShort && !isCursor;
  const shown = isOneLine ? [text] : all.slice(0, maxLines);
  const isCut = !isOneLine && all.length > maxLines;
  const base: Role = isCursor ? 'cursor' : 'normal';
  const blank = (count: number): Span => ({ text: spaces(count) });
  return shown.map((line, index) => {
    const title = hasTitle ? trusted(checkTitles[item.check]) : safe``;
    const lead: readonly Span[] = index === 0
      ? [{ text: isCursor ? glyphs.cursor : safe` ` }, { text: sign, role }, blank(1), { text: title, role: 'title' }, blank(ownWidth - title.length)]
      : [blank(ownWidth + 3)];
    const more = isCut && index === shown.length - 1 ? safe` ${glyphs.ellipsis}` : safe``;
    const words: Span = { text: safe`${line}${more}`, role: item.kind === 'fine' ? 'dim' : 'normal' };
    return index === 0 ? composeEnds(theme, width, [...lead, words], [{ text: age, role: 'dim' }], base) : composeLine(theme, width, [...lead, words], base);
  });
};

/**
 * The result of all checks in a line: an all-clear only if every check was made. `isBrief`: without counts of partly
 * checked ones.
 */
export const triageSummary = (report: TriageReport, isBrief = false): readonly Span[] => {
  const offered = report.results.filter(({ isNotOffered }) => isNotOffered !== true);
  if (report.isAllClear) {
    return [{ text: safe`all clear: ${formatCount(offered.length)} checks, nothing found`, role: 'ok' }];
  }
  const count = (verdict: ReturnType<typeof verdictOf>): number => offered.filter((result) => verdictOf(result) === verdict).length;
  const inPart = offered.filter((result) => verdictOf(result) === 'found' && result.doubts.length > 0).length;
  const found = report.findings.length;
  const worst: Role = found === 0 ? 'warning' : (report.findings[0]?.severity ?? 'warning');
  return [
    { text: found === 0 ? safe`nothing found` : countText(report.findings), role: worst },
    {
      text: safe`; ${formatCount(offered.length)} checks: ${joinSafe([
        ...(found === 0 ? [] : [safe`${formatCount(count('found'))} found${inPart === 0 || isBrief ? safe`` : safe` (${formatCount(inPart)} in part)`}`]),
        safe`${formatCount(count('fine'))} fine`,
        safe`${formatCount(count('unjudged'))} not judged`,
      ], safe`, `)}`,
      role: 'dim',
    },
  ];
};

/** Triage in exactly `height` lines. */
export const triageLines = (
  theme: Theme, width: number, height: number, report: TriageReport, items: readonly TriageItem[], cursorIndex: number, nowMs: number,
): readonly Line[] => {
  const room = Math.max(1, height - 2);
  const blocks = items.map((item, index) => itemLines(theme, width, item, index === cursorIndex, nowMs, height < 12));
  const lines = blocks.flat();
  const start = blocks.slice(0, cursorIndex).reduce((sum, block) => sum + block.length, 0);
  const window = windowOf(lines.length, room, Math.max(0, start - Math.floor(room / 3)));
  const shown = lines.slice(window.from, window.to);
  const blank = composeLine(theme, width, []);
  const position = positionText(window, lines.length);
  const title: readonly Span[] = [{ text: safe` TRIAGE`, role: 'header' }];
  const whole = triageSummary(report);
  const summary = spansWidth([...title, ...whole]) + 2 <= width ? whole : triageSummary(report, true);
  return [
    composeEnds(theme, width, title, [...summary, { text: safe` ` }]),
    ...shown,
    ...Array.from({ length: room - shown.length }, () => blank),
    composeLine(theme, width, [{ text: window.maxTop > 0 ? safe` ${position}` : safe` ${position}; Enter goes to the rows behind a line`, role: 'dim' }]),
  ].slice(0, height);
};
