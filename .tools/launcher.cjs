#!/usr/bin/env node
'use strict';
// Becomes dist/brokertop.cjs, and the main script of the single executables. Any Node must be able to parse it, to say that it
// is too old: ES5 only.
var parts = process.versions.node.split('.');
var major = Number(parts[0]);
var minor = Number(parts[1]);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write('brokertop needs Node 22.19 or newer, and this is Node ' + process.versions.node + '.\n');
  process.exit(2);
}

var fs = require('fs');
var path = require('path');
var sea = require('node:sea');
var vm = require('vm');
var crc32 = require('zlib').crc32;
var ownership = require('../src/cli/files/ownership.ts');

var programName = 'brokertop-program.cjs';
var program = path.join(__dirname, programName);
var keyBytes = 256;
var sumBytes = 4;

/** Names what is run: each kind of run compiles other functions, and keeps its own. */
function kindOfRun(args) {
  for (var at = 0; at < args.length; at += 1) {
    if (/^(-h|--help|-V|--version)$/.test(args[at])) return 'help';
    if (args[at] === '--once') return 'once';
  }
  return /^[a-z]{1,20}$/.test(args[0] || '') ? args[0] : 'monitor';
}

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

/** What the code was compiled from. V8 itself compares its version, its flags and the length of the source only. */
function keyOf(stats) {
  var key = Buffer.alloc(keyBytes);
  key.write([process.version, process.arch, stats.size, stats.mtimeMs, stats.ctimeMs, stats.ino].join(' '));
  return key;
}

/** Reads kept code: the key, a checksum, the code. `undefined` unless it is whole, of this key, and the user's alone. */
function readCode(file, key) {
  var handle;
  try {
    if (ownership.folderFault(fs.lstatSync(path.dirname(file))) !== undefined) return undefined;
    handle = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW || 0) | (fs.constants.O_NONBLOCK || 0));
    if (ownership.fileFault(fs.fstatSync(handle)) !== undefined) return undefined;
    var kept = fs.readFileSync(handle);
    var code = kept.subarray(keyBytes + sumBytes);
    // V8 does not look whether the code is damaged: it would crash.
    if (!kept.subarray(0, keyBytes).equals(key) || crc32(code) !== kept.readUInt32LE(keyBytes)) return undefined;
    return code;
  } catch (_error) {
    return undefined;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/**
 * Keeps the code that has been compiled so far. The file is renamed into place, so that no start reads half of it. Without a cache
 * the program only starts slower.
 */
function writeCode(file, key, script) {
  var draft = file + '.' + process.pid + '.draft';
  try {
    makeFolder(path.dirname(file));
    if (ownership.folderFault(fs.lstatSync(path.dirname(file))) !== undefined) return;
    // Opened first: making the data takes longer than all else.
    var handle = fs.openSync(draft, 'wx', parseInt('600', 8));
    try {
      var code = script.createCachedData();
      var sum = Buffer.alloc(sumBytes);
      sum.writeUInt32LE(crc32(code));
      fs.writeFileSync(handle, Buffer.concat([key, sum, code]));
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(draft, file);
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOSPC') removeDraft(draft);
  }
}

/** Removes what a process of the same number left behind, or what was written until the disk was full. */
function removeDraft(draft) {
  try {
    fs.unlinkSync(draft);
  } catch (_error) {
    // The next run tries again.
  }
}

/** Where the code of this run is kept; `undefined` without a home folder. */
function codeFile() {
  try {
    var folder = cacheFolder();
    var name = kind + '-' + process.version + '-' + process.arch + '.code';
    return folder && path.join(folder, name);
  } catch (_error) {
    return undefined;
  }
}

var kind = kindOfRun(process.argv.slice(2));
var isExecutable = sea.isSea();
var file = codeFile();
var key = keyOf(fs.statSync(isExecutable ? process.execPath : program));
var code = file === undefined ? undefined : readCode(file, key);
var script = new vm.Script(isExecutable ? sea.getAsset(programName, 'latin1') : fs.readFileSync(program, 'latin1'), {
  filename: program,
  cachedData: code,
});
var isKept = file === undefined || (code !== undefined && !script.cachedDataRejected);
script.runInThisContext()(require, module, exports, program, __dirname);
module.exports.launcher.keepCode = function (hasScreen) {
  // Flags before a command make it look like the monitor.
  if (isKept || hasScreen !== /^(monitor|demo)$/.test(kind)) return;
  isKept = true;
  writeCode(file, key, script);
};
