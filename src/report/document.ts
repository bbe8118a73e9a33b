import type { Sentence } from '../domain/sentence.ts';
import { escapeText } from '../terminal/safe-text.ts';

/** One part of a report. Untrusted parts of a sentence are raw; each renderer escapes for its format. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: Sentence }
  | { readonly kind: 'paragraph'; readonly text: Sentence }
  | { readonly kind: 'list'; readonly items: readonly Sentence[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Sentence[])[] }
  | { readonly kind: 'graph'; readonly graph: Graph };

/** Lines over one time axis. */
export interface Graph {
  readonly title: string;
  /** What the values count, such as `messages/s`. */
  readonly unit: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly lines: readonly GraphLine[];
  /** Moments to mark, each with a few characters. */
  readonly marks?: readonly GraphMark[];
}

export interface GraphMark {
  readonly atMs: number;
  readonly label: string;
  readonly severity: 'critical' | 'warning';
}

export interface GraphLine {
  readonly name: Sentence;
  /** Times of day and values, oldest first; `undefined` where the value is unknown: the line has a gap there. */
  readonly points: readonly GraphPoint[];
}

export interface GraphPoint {
  readonly atMs: number;
  readonly value: number | undefined;
}

/** A report in a form that every renderer understands. */
export interface ReportDocument {
  readonly title: Sentence;
  readonly blocks: readonly Block[];
}

/** Returns the document with every untrusted text replaced. */
export function mapUntrusted(document: ReportDocument, replace: (text: string) => string): ReportDocument {
  const mapped = (sentence: Sentence): Sentence =>
    sentence.map((part) => (part.isUntrusted ? { ...part, text: replace(part.text) } : part));
  return {
    title: mapped(document.title),
    blocks: document.blocks.map((block): Block => {
      switch (block.kind) {
        case 'heading':
        case 'paragraph':
          return { ...block, text: mapped(block.text) };
        case 'list':
          return { ...block, items: block.items.map(mapped) };
        case 'table':
          return { ...block, rows: block.rows.map((row) => row.map(mapped)) };
        case 'graph': {
          const lines = block.graph.lines.map((line) => ({ ...line, name: mapped(line.name) }));
          return { ...block, graph: { ...block.graph, lines } };
        }
        default:
          return block satisfies never;
      }
    }),
  };
}

/** Returns the text of a sentence with its untrusted parts as every screen shows them: visibly escaped, on one line. */
export const visibleText = (sentence: Sentence): string =>
  sentence.map(({ text, isUntrusted }) => (isUntrusted ? escapeText(text) : text)).join('');
