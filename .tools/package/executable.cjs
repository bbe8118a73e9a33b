'use strict';
// The main script of the single executables: runs the program from the files that are embedded in it.
const { createRequire, registerHooks } = require('node:module');
const path = require('node:path');
const { getAsset } = require('node:sea');
const { pathToFileURL } = require('node:url');

/** No such folder exists: its URLs name the embedded files. */
const folder = pathToFileURL(`${process.execPath}-files${path.sep}`).href;

const formatOf = (url) => (url.endsWith('.cjs') ? 'commonjs' : 'module');

registerHooks({
  resolve(specifier, context, next) {
    const url =
      specifier.startsWith('.') && context.parentURL !== undefined
        ? new URL(specifier, context.parentURL).href
        : specifier;
    return url.startsWith(folder) ? { url, format: formatOf(url), shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    return url.startsWith(folder)
      ? { source: getAsset(url.slice(folder.length), 'utf8'), format: formatOf(url), shortCircuit: true }
      : next(url, context);
  },
});

createRequire(folder)('./brokertop-program.cjs');
