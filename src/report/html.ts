import type { Sentence } from '../domain/sentence.ts';
import { type Block, type ReportDocument, visibleText } from './document.ts';
import { drawGraph, escapeXml } from './svg.ts';

const style = `:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{line-height:1.2}h2{margin-top:2.2rem;border-bottom:1px solid #8886}h3{margin:1.6rem 0 .4rem}ul{margin:.4rem 0;padding-left:1.2rem}
table{border-collapse:collapse;width:100%;font-size:14px}th,td{border-bottom:1px solid #8884;padding:.3rem .6rem .3rem 0;text-align:left;vertical-align:top}
th{white-space:nowrap}td:first-child{min-width:9ch}
figure{margin:0;overflow-x:auto}svg{width:100%;min-width:600px;height:auto;margin:.6rem 0}
@media(max-width:640px){body{margin:1rem auto}h1{font-size:1.5rem}thead{display:none}
table,tbody,tr,td{display:block}tr{border-bottom:1px solid #8886;padding:.4rem 0}td{border:0;padding:0}td:empty{display:none}
td::before{content:attr(data-label)": ";opacity:.7}}`;

const shown = (sentence: Sentence): string => escapeXml(visibleText(sentence));

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${shown(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${shown(block.text)}</p>`;
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${shown(item)}</li>`).join('\n')}\n</ul>`;
    case 'table': {
      const head = block.head.map((cell) => `<th scope="col">${escapeXml(cell)}</th>`).join('');
      // On a narrow page, each cell is a line, with its label.
      const rows = block.rows.map(
        (row) =>
          `<tr>${row.map((cell, index) => `<td data-label="${escapeXml(block.head[index] ?? '')}">${shown(cell)}</td>`).join('')}</tr>`,
      );
      return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`;
    }
    case 'graph':
      return `<figure>${drawGraph(block.graph)}</figure>`;
    default:
      return block satisfies never;
  }
}

/** Writes a report as one HTML file without scripts or anything from elsewhere. */
export const writeHtml = ({ title, blocks }: ReportDocument): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${shown(title)}</title>
<style>
${style}
</style>
</head>
<body>
${blocks.map(blockHtml).join('\n')}
</body>
</html>
`;
