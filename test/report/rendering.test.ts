import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { say } from '../../src/domain/sentence.ts';
import { untrusted } from '../../src/domain/text.ts';
import { mapUntrusted, type ReportDocument } from '../../src/report/document.ts';
import { writeHtml } from '../../src/report/html.ts';
import { writeMarkdown } from '../../src/report/markdown.ts';
import { drawGraph, roundMaximum, ticksOf } from '../../src/report/svg.ts';

const at = (text: string): number => Date.parse(`2026-11-28T${text}`);

const document: ReportDocument = {
  title: say`Incident on ${untrusted('prod')}`,
  blocks: [
    { kind: 'heading', level: 1, text: say`Incident on ${untrusted('prod')}` },
    { kind: 'paragraph', text: say`${untrusted('worker|1')} was losing 5 msg/s` },
    { kind: 'list', items: [say`one`, say`two ${untrusted('``x\u202e')}`, [untrusted('1. http://x www.y')]] },
    { kind: 'table', head: ['Time', 'What'], rows: [[say`14:02:31`, [untrusted('a|b *c* <b>')]]] },
  ],
};

describe('Markdown', () => {
  test('has the text of a report, and no text of the broker can be more than text', () => {
    expect(writeMarkdown(document)).toBe(
      [
        '# Incident on prod',
        '',
        String.raw`worker\|1 was losing 5 msg/s`,
        '',
        '- one',
        String.raw`- two \`\`x\\u202e`,
        String.raw`- 1\. http\://x www\.y`,
        '',
        '| Time | What |',
        '|---|---|',
        String.raw`| 14:02:31 | a\|b \*c\* \<b\> |`,
        '',
      ].join('\n'),
    );
  });
});

describe('HTML', () => {
  test('has the text of a report', () => {
    const html = writeHtml(document);
    expect(html).toContain('<h1>Incident on prod</h1>');
    expect(html).toContain('<p>worker|1 was losing 5 msg/s</p>');
    expect(html).toContain('<tr><td data-label="Time">14:02:31</td><td data-label="What">a|b *c* &lt;b&gt;</td></tr>');
    expect(html).not.toContain('<script');
  });

  test('shows hostile text as text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (hostile) => {
        const html = writeHtml({
          title: [untrusted(hostile)],
          blocks: [
            { kind: 'paragraph', text: say`${untrusted(hostile)} and ${untrusted(hostile)}` },
            { kind: 'table', head: [''], rows: [[[untrusted(hostile)]]] },
          ],
        });
        const tags = [...html.matchAll(/<\/?([a-z]+)/giu)].map(([, name]) => name);
        expect(new Set(tags)).toEqual(
          new Set(['html', 'head', 'meta', 'title', 'style', 'body', 'p', 'table', 'thead', 'tr', 'th', 'tbody', 'td']),
        );
        // Controls, bidi marks and lone surrogates are escaped visibly.
        expect(html).not.toMatch(/[\0-\x09\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/u);
        expect(html.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a graph', () => {
  const lines = [
    {
      name: [untrusted('in <b>')],
      points: [
        { atMs: at('14:00:00'), value: 0 },
        { atMs: at('14:05:00'), value: 80 },
        { atMs: at('14:06:00'), value: undefined },
        { atMs: at('14:07:00'), value: 40 },
        { atMs: at('14:10:00'), value: 40 },
        { atMs: at('15:10:00'), value: 400 },
      ],
    },
  ];
  const graph = { title: 'Messages', unit: 'messages/s', fromMs: at('14:00:00'), toMs: at('14:10:00'), lines };

  test('has a scale of round numbers, the time of day, and a gap where nothing is known', () => {
    const svg = drawGraph(graph);
    expect([...svg.matchAll(/<text[^>]*>([^<]*)/gu)].map(([, text]) => text)).toEqual([
      'Messages ',
      '0',
      '50',
      '100',
      '14:00',
      '14:05',
      '14:10',
      'in &lt;b&gt;',
    ]);
    // Two strokes; what is later than the range is not drawn.
    expect(/<path d="([^"]*)"/u.exec(svg)?.[1]).toBe('M64 186L406 69.2M542.8 127.6L748 127.6');
  });

  test('without a value says so', () => {
    expect(drawGraph({ ...graph, lines: [{ name: say`in`, points: [] }] })).toContain('>not recorded</text>');
  });

  test('has a maximum that is 1, 2 or 5 times a power of ten', () => {
    expect([0, 0.3, 1, 3, 7, 12, 501].map(roundMaximum)).toEqual([1, 0.5, 1, 5, 10, 20, 1_000]);
  });

  test('has at most eight times at its axis, whatever the range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 40 * 86_400_000 }), (spanMs) => {
        const fromMs = at('14:00:00');
        const ticks = ticksOf(fromMs, fromMs + spanMs);
        expect(ticks.length).toBeLessThanOrEqual(9);
        for (const tick of ticks) expect(tick >= fromMs && tick <= fromMs + spanMs).toBe(true);
      }),
    );
  });
});

describe('mapUntrusted', () => {
  test('replaces every text of the broker, and no other', () => {
    const shouted = JSON.stringify(
      mapUntrusted(
        {
          ...document,
          blocks: [
            ...document.blocks,
            {
              kind: 'graph',
              graph: {
                title: 'graph',
                unit: 'u',
                fromMs: 0,
                toMs: 1,
                lines: [{ name: [untrusted('line')], points: [] }],
              },
            },
          ],
        },
        (text) => text.toUpperCase(),
      ),
    );
    for (const text of ['WORKER|1', 'A|B *C* <B>', 'LINE', 'PROD', 'Incident on ', ' was losing 5 msg/s', 'graph'])
      expect(shouted).toContain(text);
  });
});
