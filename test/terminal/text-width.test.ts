import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { trusted } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';

test('every printable character of the basic plane is as wide as string-width says, alone and in a text', () => {
  const wrong: string[] = [];
  for (let codePoint = 0x20; codePoint <= 0xffff; codePoint += 1) {
    const character = String.fromCodePoint(codePoint);
    if (/[\p{C}\p{M}]/u.test(character)) {
      continue;
    }
    const width = stringWidth(character);
    const sign = trusted(character);
    if (widthOf(sign) !== width || widthOf(trusted(`a${sign}─${sign}`)) !== 2 + 2 * width) {
      wrong.push(codePoint.toString(16));
    }
  }
  expect(wrong).toEqual([]);
});
