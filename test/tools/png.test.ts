import { describe, expect, test } from 'vitest';
import { screenPng, screenSvg } from '../../.tools/png.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';

async function screenOf(text: string): Promise<TerminalScreen> {
  const screen = new TerminalScreen(12, 2);
  await screen.write(text);
  return screen;
}

describe('pictures of a screen', () => {
  test('one background over several cells is one rectangle', async () => {
    const svg = screenSvg(await screenOf('ab\x1b[7mcdef\x1b[0mg'));
    expect(svg.match(/<rect x="20" y="0" width="40" height="21"/g)).toHaveLength(1);
    expect(svg).toContain('>ab</text>');
    expect(svg).toContain('>cdef</text>');
  });

  test('text of the screen cannot become markup', async () => {
    expect(screenSvg(await screenOf('<a>&b'))).toContain('&lt;a&gt;&amp;b');
  });

  test('colours of the palette, the cube, the greys and any other', async () => {
    const svg = screenSvg(await screenOf('\x1b[31ma\x1b[38;5;21mb\x1b[38;5;232mc\x1b[38;2;1;2;3md'));
    for (const color of ['#e06c75', '#0000ff', '#080808', '#010203']) expect(svg).toContain(`fill="${color}"`);
  });

  test('blocks fill their part of the cell to its edge, and lines meet', async () => {
    const svg = screenSvg(await screenOf('▄█─┐\r\n▀▌ │'));
    expect(svg).toContain('<rect x="0" y="10" width="10" height="11"');
    expect(svg).toContain('<rect x="10" y="0" width="10" height="21"');
    expect(svg).toContain('M20 10.5H');
    expect(svg).toMatch(/M35 9\.75V21/);
    expect(svg).toMatch(/M35 21V/);
  });

  test('dots of braille are squares on whole pixels', async () => {
    const svg = screenSvg(await screenOf('\x1b[38;5;37m⠁⣀'));
    expect(svg).toContain('<path d="M1 1h4v4h-4z" fill="#00afaf"/>');
    expect(svg.match(/M11 16h4v4h-4zM16 16h4v4h-4z/gu)).toHaveLength(1);
    expect(svg).not.toContain('⠁');
  });

  test('corners are round, and a bar at the left takes the left half', async () => {
    const svg = screenSvg(await screenOf('╭╮▌▐\r\n╰╯'));
    expect(svg.match(/q/gu)).toHaveLength(4);
    expect(svg).toContain('<rect x="20" y="0" width="5" height="21"');
    expect(svg).toContain('<rect x="35" y="0" width="5" height="21"');
  });

  test('the picture has the size of the whole screen', async () => {
    const png = Buffer.from(screenPng(await screenOf('hello')));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([12 * 10 + 16, 2 * 21 + 16]);
  });
});
