import { glyphs } from '../../../terminal/glyphs.ts';
import { cutSpans, type Span, spansWidth, wrapWords } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import { fit, widestFitting, widthOf } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import {
  isCalmWithout,
  type NextContext,
  nextStep,
  nextStepAfter,
  nextStepThere,
  ownCause,
  problemBrief,
  problemFacts,
  problemParts,
} from '../../../checks/words.ts';
import type { Finding } from '../../../triage/problem.ts';
import type { TriageSummary } from '../../../triage/triage.ts';
import {
  countText,
  hasOnlyNotes,
  howLong,
  markedTitle,
  noProblemsText,
  nounsOf,
  pendingText,
  severitySpan,
  shortOkText,
  triageTexts,
  uncheckedSummary,
} from './texts.ts';
import { cursorSpan, fillRows, fitSpans, type SpanRow } from '../../../tui/components/blocks.ts';
import { type Sentence, withShortNames } from '../../../domain/sentence.ts';
import { sentenceText } from '../../../terminal/sentence-text.ts';

export interface ProblemsView extends NextContext {
  /** Problems, worst first. */
  readonly findings: readonly Finding[];
  readonly summary: TriageSummary;
  /** The number of sessions, if they are too many to be read in the background. */
  readonly tooManySessions?: number | undefined;
  /** The problem that Enter opens. */
  readonly cursorKey?: string | undefined;
}

const wordWidth = 9;
/** The width of `12h 05m old`, and a space before it. */
const ageWidth = 12;
/** Columns before the title: cursor and severity. */
const leadWidth = 2 + wordWidth;
/** The width from which on the evidence has a column of its own. */
const wideWidth = 85;
/** Below this width the age is left out. */
const narrowWidth = 59;
const maxTitleShare = 0.65;
const titleStep = 8;
const minTitleWidth = 40;
/** The narrowest name that is cut. */
const minNameWidth = 12;

/** Writes a sentence with its names in bold, which are cut in the middle where it is too long. */
const titleSpans = (theme: Theme, sentence: Sentence, width: number): SpanRow => {
  const spans = sentence.map((part): Span => ({
    text: sentenceText(theme, [part], width),
    role: part.isUntrusted === true ? 'title' : 'normal',
  }));
  const names = sentence.filter(({ isUntrusted }) => isUntrusted === true).length;
  const excess = spansWidth(spans) - width;
  if (excess <= 0 || names === 0) return spans;
  return sentence.map((part, index): Span => {
    const span = spans[index] ?? { text: safe`` };
    return part.isUntrusted === true
      ? {
          ...span,
          text: theme.escapeEnds(part.text, Math.max(minNameWidth, widthOf(span.text) - Math.ceil(excess / names))),
        }
      : span;
  });
};

const fitColumn = (spans: SpanRow, width: number): SpanRow =>
  spansWidth(spans) <= width ? fitSpans(spans, width) : fitSpans(cutSpans(spans, width), width);

/** Columns between title and evidence. */
const columnGap = 2;

/** The columns behind the severity. */
export interface FindingColumns {
  readonly title: number;
  readonly evidence: number;
  /** The width of the age; 0 where it is left out. */
  readonly age: number;
}

/**
 * Returns the columns for all problems: the titles get what the longest of them needs, in steps, so that a number that
 * grows does not move the evidence, which keeps a third.
 */
export const findingColumns = (theme: Theme, width: number, findings: readonly Finding[]): FindingColumns => {
  const age = width < narrowWidth ? 0 : ageWidth;
  const room = width - age;
  const longest = Math.max(
    ...findings.map((finding) => widthOf(sentenceText(theme, markedTitle(problemParts(finding).title, finding), room))),
  );
  const title =
    width < wideWidth
      ? room
      : Math.max(minTitleWidth, Math.min(Math.ceil(longest / titleStep) * titleStep, Math.floor(room * maxTitleShare)));
  return { title, evidence: Math.max(0, room - title - columnGap), age };
};

/** Writes as many facts as fit: the last one stays, those before it give way. */
export const factsText = (facts: readonly SafeText[], room: number): SafeText => {
  for (let kept = facts.length; kept > 1; kept -= 1) {
    const text = joinSafe([...facts.slice(0, kept - 1), ...facts.slice(-1)], safe` · `);
    if (widthOf(text) <= room) return text;
  }
  return facts[0] ?? safe``;
};

/** So many names are shown; the second number where there is less room. */
const nameCounts = [8, 2] as const;

const factTexts = (
  theme: Theme,
  facts: readonly Sentence[],
  nodes: NextContext['nodes'],
  width: number,
): readonly SafeText[] => {
  const texts: SafeText[] = [];
  for (const fact of facts) texts.push(sentenceText(theme, withShortNames(fact, nodes), width));
  return texts;
};

/** Writes more names, or also what else is known, where all of it fits. */
const longEvidence = (
  theme: Theme,
  finding: Finding,
  nodes: NextContext['nodes'],
  width: number,
  room: number,
): SafeText | undefined => {
  const forms: SafeText[] = [];
  for (const count of nameCounts) {
    const { facts } = problemParts(finding, count);
    for (const shown of [[...facts, ...problemFacts(finding).slice(facts.length)], facts])
      forms.push(joinSafe(factTexts(theme, shown, nodes, width), safe` · `));
  }
  return widestFitting(forms, room);
};

/** Writes title and evidence, in a column each, or one behind the other where there is only one column. */
export const findingCells = (
  theme: Theme,
  width: number,
  columns: FindingColumns,
  finding: Finding,
  { nodes, attempt }: Partial<NextContext> = {},
): SpanRow => {
  const { title, facts } = problemParts(finding);
  const marked = markedTitle(title, finding);
  const cause = ownCause(finding, attempt?.(finding));
  const texts = [...(cause === undefined ? [] : [trusted(cause)]), ...factTexts(theme, facts, nodes, width)];
  const hasColumn = columns.evidence > 0 && texts.length > 0;
  const titleWidth = columns.title + (columns.evidence > 0 && !hasColumn ? columns.evidence + columnGap : 0);
  const full = titleSpans(theme, withShortNames(marked, nodes), titleWidth);
  const spans =
    spansWidth(full) <= titleWidth
      ? full
      : titleSpans(theme, withShortNames(markedTitle(problemBrief(finding), finding), nodes), titleWidth);
  if (hasColumn)
    return [
      ...fitColumn(spans, columns.title),
      { text: fit(safe``, columnGap) },
      ...fitColumn(
        [
          {
            text:
              (cause === undefined ? longEvidence(theme, finding, nodes, width, columns.evidence) : undefined) ??
              factsText(texts, columns.evidence),
            role: 'dim',
          },
        ],
        columns.evidence,
      ),
    ];
  const behind = factsText(texts, titleWidth - spansWidth(spans) - 2);
  const fits = behind !== '' && spansWidth(spans) + 2 + widthOf(behind) <= titleWidth;
  return fitColumn(
    fits ? [...spans, { text: safe`  ${behind}`, role: 'dim' }] : spans,
    columns.evidence > 0 ? titleWidth : columns.title,
  );
};

export const ageCell = ({ age }: FindingColumns, finding: Finding, nowMs: number): SpanRow =>
  age === 0 ? [] : [{ text: fit(safe`${howLong(finding, nowMs, true)} `, age, 'right'), role: 'dim' }];

const findingRow = (
  theme: Theme,
  width: number,
  columns: FindingColumns,
  finding: Finding,
  view: ProblemsView,
): SpanRow => {
  const { nowMs, cursorKey } = view;
  const isCursor = finding.key === cursorKey;
  const word = severitySpan(finding);
  const cells: SpanRow = [
    isCursor ? cursorSpan(theme) : { text: safe` ` },
    { text: safe` ` },
    { ...word, text: fit(word.text, wordWidth) },
    ...findingCells(theme, width, columns, finding, view).map((span): Span =>
      finding.acknowledged === undefined ? span : { ...span, role: 'dim' },
    ),
    ...ageCell(columns, finding, nowMs),
  ];
  return cells.map((span) => ({ ...(isCursor ? { base: 'cursor' } : {}), ...span, clickId: finding.key }));
};

/** Draws a labelled text over at most `maxLines` rows. */
const labelledRows = (
  width: number,
  label: Span,
  text: SafeText,
  maxLines: number,
  toSpans: (line: SafeText) => SpanRow,
  labelWidth = wordWidth,
): readonly SpanRow[] => {
  const lines = wrapWords(text, width - 2 - labelWidth);
  return lines.slice(0, maxLines).map((line, index) => {
    const isCut = index === maxLines - 1 && lines.length > maxLines;
    return [
      { text: safe`  ` },
      index === 0 ? { ...label, text: fit(label.text, labelWidth) } : { text: fit(safe``, labelWidth) },
      ...toSpans(isCut ? safe`${line}${glyphs.ellipsis}` : line),
    ];
  });
};

const plain = (line: SafeText): SpanRow => [{ text: line }];
const muted = (line: SafeText): SpanRow => [{ text: line, role: 'dim' }];

/**
 * Writes a line with its keys in their colour. They stand in backticks, which take no room: a line break never splits
 * one.
 */
export const keySpans = (line: SafeText): SpanRow =>
  line.split('`').map((text, index): Span => ({ text: trusted(text), role: index % 2 === 1 ? 'key' : 'normal' }));

const sentenceEnd = /(?<=\.) (?=[A-Z`])/u;

/** Returns as many whole sentences as fit `maxLines`. What Enter does gives way first, as the hints say it, too. */
const wholeSentences = (text: string, width: number, maxLines: number): SafeText => {
  const sentences = text.split(sentenceEnd);
  const others = sentences[0]?.startsWith('`Enter`') === true ? sentences.slice(1) : [];
  const shorter = (all: readonly string[]): readonly string[] =>
    all.map((_, index) => all.slice(0, all.length - index).join(' '));
  const forms = [text, ...shorter(others), ...shorter(sentences)];
  return trusted(forms.find((form) => wrapWords(trusted(form), width).length <= maxLines) ?? others[0] ?? text);
};

/**
 * Draws the next step for a problem in at most `maxLines` rows; if it is acknowledged, that first. `labelWidth`: of the
 * words in front.
 */
export const nextRows = (
  theme: Theme,
  width: number,
  finding: Finding | undefined,
  maxLines: number,
  context: NextContext,
  labelWidth = wordWidth,
): readonly SpanRow[] => {
  if (finding === undefined) return [];
  const { attempt, nowMs, isOpen = false, isAcknowledged = false } = context;
  const { acknowledged, ...open } = finding;
  if (acknowledged !== undefined) {
    const text = triageTexts.acknowledgedFor(
      Math.max(0, nowMs - acknowledged.atMs) / 1_000,
      acknowledged.note === '' ? safe`` : theme.escape(acknowledged.note, 400),
      !isOpen,
    );
    return [
      ...labelledRows(width, { text: triageTexts.acknowledged, role: 'dim' }, text, 1, plain, labelWidth),
      ...(maxLines > 1
        ? nextRows(theme, width, open, maxLines - 1, { ...context, isAcknowledged: true }, labelWidth)
        : []),
    ];
  }
  const full = nextStep(finding, context, attempt?.(finding));
  const step = isAcknowledged ? nextStepAfter(full) : full;
  return labelledRows(
    width,
    { text: triageTexts.next, role: 'accent' },
    wholeSentences(isOpen ? nextStepThere(step) : step, width - 2 - labelWidth, maxLines),
    maxLines,
    keySpans,
    labelWidth,
  );
};

/** Says what is fine in one row, or in two if that is enough for all names. */
const okRows = (width: number, maxRows: number, summary: TriageSummary): readonly SpanRow[] => {
  if (summary.ok.length === 0 || maxRows < 1) return [];
  const whole = wrapWords(shortOkText(summary, Number.POSITIVE_INFINITY), width - leadWidth).length;
  return labelledRows(
    width,
    { text: triageTexts.ok, role: 'ok' },
    shortOkText(summary, whole <= Math.min(2, maxRows) ? Number.POSITIVE_INFINITY : width - leadWidth),
    2,
    muted,
  );
};

/**
 * Returns what fits `room` rows: the worst, and below the mark for the hidden ones the selected one, if it is not among
 * them.
 */
const foldFindings = (
  findings: readonly Finding[],
  room: number,
  selected: number,
): { readonly before: readonly Finding[]; readonly hidden: readonly Finding[]; readonly after: readonly Finding[] } => {
  if (findings.length <= room) return { before: findings, hidden: [], after: [] };
  const shown = Math.max(1, room - 1);
  if (selected < shown) return { before: findings.slice(0, shown), hidden: findings.slice(shown), after: [] };
  const first = findings.slice(0, shown - 1);
  const after = findings.slice(selected, selected + 1);
  return {
    before: first,
    hidden: findings.filter((finding) => !first.includes(finding) && !after.includes(finding)),
    after,
  };
};

/** Writes `1 more critical, 2 warnings (T): sessions, fan-out`: as much as fits. */
const hiddenRow = (width: number, hidden: readonly Finding[]): SpanRow => {
  const role = hidden.some(({ severity, acknowledged }) => severity === 'critical' && acknowledged === undefined)
    ? 'error'
    : 'warning';
  const spans: SpanRow = [
    { text: fit(safe``, leadWidth) },
    { text: countText(hidden, true), role },
    { text: safe` (T)`, role: 'dim' },
  ];
  const checks = [...new Set(hidden.map(({ check }) => check))];
  const nouns = widestFitting(
    checks.map(
      (_, dropped) =>
        safe`: ${nounsOf(checks.slice(0, checks.length - dropped))}${dropped === 0 ? safe`` : safe`, ${glyphs.ellipsis}`}`,
    ),
    width - spansWidth(spans),
  );
  return [...spans, { text: nouns ?? safe``, role: 'dim' }];
};

/**
 * Draws the problems in exactly `height` rows: at most `nextLines` with the next step for the one under the cursor, and
 * at the bottom what is not checked yet and what is fine.
 */
export const problemRows = (
  theme: Theme,
  width: number,
  height: number,
  nextLines: number,
  view: ProblemsView,
): readonly SpanRow[] => {
  const { findings, tooManySessions, nowMs, cursorKey, nodes } = view;
  // Which lists are read is decided once the nodes are known.
  const summary = view.summary.pending.some(({ check }) => check === 'nodes')
    ? { ...view.summary, unread: [] }
    : view.summary;
  const unchecked = uncheckedSummary(theme, summary, nowMs, { tooManySessions, nodes });
  const uncheckedRows = (maxLines: number): readonly SpanRow[] =>
    unchecked === ''
      ? []
      : labelledRows(
          width,
          { text: triageTexts.note, role: hasOnlyNotes(summary) ? 'dim' : 'warning' },
          unchecked,
          maxLines,
          plain,
        );
  const isCalm = findings.length === 0 && isCalmWithout(summary.pending);
  const pending =
    summary.pending.length === 0
      ? []
      : labelledRows(
          width,
          { text: triageTexts.pending, role: isCalm ? 'dim' : 'accent' },
          pendingText(summary.pending),
          findings.length === 0 ? 2 : 1,
          isCalm ? muted : plain,
        );
  if (findings.length === 0) {
    const label: Span = isCalm ? { text: triageTexts.ok, role: 'ok' } : { text: triageTexts.soFar, role: 'dim' };
    const passed =
      summary.ok.length === 0
        ? []
        : labelledRows(width, label, noProblemsText(summary, width - leadWidth), 1, isCalm ? plain : muted);
    const noted = uncheckedRows(Math.max(1, height - passed.length - pending.length));
    return (isCalm ? [...noted, ...passed, ...pending] : [...pending, ...noted, ...passed]).slice(0, height);
  }
  const chosenAt = Math.max(
    0,
    findings.findIndex(({ key }) => key === cursorKey),
  );
  const chosen = findings[chosenAt];
  const next = nextRows(theme, width, chosen, nextLines, view);
  // In a low panel problems are worth more than a second note.
  const notes = [...uncheckedRows(1), ...pending].slice(
    0,
    height < 8 && findings.length + next.length + 3 > height ? 1 : 2,
  );
  const room = Math.max(1, height - next.length - notes.length);
  const columns = findingColumns(theme, width - leadWidth, findings);
  const { before, hidden, after } = foldFindings(findings, room, chosenAt);
  const toRows = (some: readonly Finding[]): readonly SpanRow[] =>
    some.map((finding) => findingRow(theme, width, columns, finding, view));
  const rows = [
    ...toRows(before),
    ...(hidden.length === 0 || room < 2 ? [] : [hiddenRow(width, hidden)]),
    ...toRows(after),
  ];
  const spare = room - rows.length;
  // A blank row stands above the next step.
  const ok = okRows(width, Math.min(2, Math.max(spare - 1, Math.min(1, spare))), summary);
  const gap: readonly SpanRow[] = spare > ok.length ? [[]] : [];
  const above = [...rows, ...gap, ...next];
  const below = [...notes, ...ok];
  return [...fillRows(above, height - below.length), ...below].slice(0, height);
};
