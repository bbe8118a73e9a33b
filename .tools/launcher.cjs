#!/usr/bin/env node
'use strict';
// Becomes dist/brokertop.cjs. Any Node must be able to parse it, to say that it is too old: ES5 only.
var parts = process.versions.node.split('.');
var major = Number(parts[0]);
var minor = Number(parts[1]);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write('brokertop needs Node 22.19 or newer, and this is Node ' + process.versions.node + '.\n');
  process.exit(2);
}

var fs = require('fs');
var nodeModule = require('module');
var path = require('path');
var ownership = require('../src/cli/files/ownership.ts');

var program = path.join(__dirname, 'brokertop-program.cjs');

/** Never the shared temporary folder: another user could put code there. `undefined` without a home folder. */
function cacheFolder() {
  var home = ownership.homeFolder(process.env);
  if (process.platform === 'win32') {
    return path.join(process.env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'brokertop', 'Cache');
  }
  if (process.platform === 'darwin') return home && path.join(home, 'Library', 'Caches', 'brokertop');
  var caches = ownership.baseFolder(process.env.XDG_CACHE_HOME, home, '.cache');
  return caches && path.join(caches, 'brokertop');
}

/** Avoids `recursive`, which never returns where a folder cannot be made but its parent seems missing, as in /proc. */
function makeFolder(folder) {
  try {
    fs.mkdirSync(folder, parseInt('700', 8));
  } catch (error) {
    if (error.code === 'EEXIST') return;
    if (error.code !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    makeFolder(path.dirname(folder));
    fs.mkdirSync(folder, parseInt('700', 8));
  }
}

/** Whether a folder and all in it are the user's alone: V8 runs what is in the cache. */
function isPrivate(folder) {
  return (
    ownership.folderFault(fs.lstatSync(folder)) === undefined &&
    fs.readdirSync(folder).every(function (name) {
      var stats = fs.lstatSync(path.join(folder, name));
      return stats.isDirectory() ? isPrivate(path.join(folder, name)) : ownership.fileFault(stats) === undefined;
    })
  );
}

/** Has Node keep compiled code from run to run, where nobody else can change it. */
function enableCache() {
  var folder = cacheFolder();
  if (folder === undefined) return;
  makeFolder(folder);
  if (!isPrivate(folder)) return;
  // Node makes a folder in it, as open as the umask allows.
  var umask = process.umask(parseInt('77', 8));
  nodeModule.enableCompileCache(folder);
  process.umask(umask);
}

try {
  enableCache();
} catch (_error) {
  // Without a cache the program only starts slower.
}
require(program);
