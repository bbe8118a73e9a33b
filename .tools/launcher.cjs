#!/usr/bin/env node
'use strict';
// Copied to dist/brokertop.cjs. It must parse on any Node, so: no syntax newer than ES5.
var parts = process.versions.node.split('.');
var major = Number(parts[0]);
var minor = Number(parts[1]);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    'brokertop needs Node 22.19 or newer and this is Node ' + process.versions.node +
    '; install a newer one and start brokertop again.\n'
  );
  process.exit(2);
}

var path = require('path');
var url = require('url');

/**
 * Where compiled code is kept between runs. Never the shared temporary folder, which is Node's
 * default: another user of the machine could put code there. `undefined` when there is no home.
 */
function compileCacheFolder() {
  try {
    var home = require('os').homedir();
    if (process.platform === 'win32') {
      return path.join(process.env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'brokertop', 'Cache');
    }
    if (process.platform === 'darwin') return path.join(home, 'Library', 'Caches', 'brokertop');
    return path.join(process.env.XDG_CACHE_HOME || path.join(home, '.cache'), 'brokertop');
  } catch (_error) {
    return undefined;
  }
}

var folder = compileCacheFolder();
if (folder !== undefined) {
  try {
    require('fs').mkdirSync(folder, { recursive: true, mode: parseInt('700', 8) });
    require('module').enableCompileCache(folder);
  } catch (_error) {
    // A home that cannot be written to costs some milliseconds at each start, nothing else.
  }
}

// `import()` itself is a syntax error on the oldest Nodes, hence the detour.
new Function('address', 'return import(address)')(url.pathToFileURL(path.join(__dirname, 'brokertop.mjs')).href);
