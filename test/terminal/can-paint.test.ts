import { expect, test } from 'vitest';
import { canPaint } from '../../src/terminal/can-paint.ts';

test.each(['xterm-256color', 'screen', 'tmux-256color', 'linux', 'vt100', 'rxvt', 'alacritty'])('%s is painted on', (TERM) => {
  expect(canPaint({ TERM }, 'linux')).toBe(true);
});

test.each(['dumb', 'unknown', '', undefined])('a terminal that says %j is not', (TERM) => {
  expect(canPaint({ TERM }, 'linux')).toBe(false);
});

test('a terminal of Windows says nothing and is painted on, unless it is called dumb', () => {
  expect(canPaint({}, 'win32')).toBe(true);
  expect(canPaint({ TERM: 'dumb' }, 'win32')).toBe(false);
});
