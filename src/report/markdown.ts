import type { Sentence } from '../domain/sentence.ts';
import { type Block, type ReportDocument, visibleText } from './document.ts';
import { drawGraph } from './svg.ts';

/** Characters that Markdown, or HTML within it, could take for more than text. */
const special = /[\\`*_{}[\]<>|~#&!]/gu;

/** What would begin a list, where it begins a line. */
const listMark = /^([-+]|\d+(?=[.)](?:\s|$)))/u;

const escaped = (text: string): string =>
  text
    .replaceAll(special, String.raw`\$&`)
    // GitHub makes links of addresses that stand in a text.
    .replaceAll(/:(?=\/\/)/gu, String.raw`\:`)
    .replaceAll(/\bwww\./giu, String.raw`www\.`);

const plain = (sentence: Sentence): string => {
  const text = escaped(visibleText(sentence));
  return text.replace(listMark, (mark) => (/\d/u.test(mark) ? `${mark}\\` : `\\${mark}`));
};

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${plain(block.text)}`;
    case 'paragraph':
      return plain(block.text);
    case 'list':
      return block.items.map((item) => `- ${plain(item)}`).join('\n');
    case 'table':
      return [
        `| ${block.head.map(escaped).join(' | ')} |`,
        `|${block.head.map(() => '---').join('|')}|`,
        ...block.rows.map((row) => `| ${row.map(plain).join(' | ')} |`),
      ].join('\n');
    case 'graph': {
      const svg = Buffer.from(drawGraph(block.graph).replaceAll('currentColor', '#777')).toString('base64');
      return `![${escaped(block.graph.title)}](data:image/svg+xml;base64,${svg})`;
    }
    default:
      return block satisfies never;
  }
}

/** Writes a report as one Markdown file with its graphs in it. */
export const writeMarkdown = ({ blocks }: ReportDocument): string => `${blocks.map(blockMarkdown).join('\n\n')}\n`;
