'use strict';
const { stripVTControlCharacters } = require('node:util');

/** Printable ASCII, and the signs of `src/terminal/text-width.ts`: one column each. */
const narrow = /^[ -~·×–…›←-↓─-▟▲▶▸▼◆○●]*$/u;

let stringWidth;

/**
 * string-width for the bundle. Loads it for other characters only, because compiling its emoji patterns takes 15 ms.
 */
module.exports = function width(text, options) {
  if (options === undefined && typeof text === 'string') {
    const plain = text.includes('\u001B') ? stripVTControlCharacters(text) : text;
    if (narrow.test(plain)) return plain.length;
  }
  stringWidth ??= require('string-width').default;
  return stringWidth(text, options);
};
