#!/usr/bin/env node
'use strict';
// Becomes dist/brokertop.cjs. It must parse on any Node, so: no syntax newer than ES5.
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

var fs = require('fs');
var path = require('path');
var vm = require('vm');
var crc32 = require('zlib').crc32;
var ownFiles = require('../src/cli/files/own-files.ts');

var program = path.join(__dirname, 'brokertop-program.cjs');
/** What is compiled differs by what is run, so each keeps its own. `undefined`: too little to be kept. */
var kind = kindOfRun(process.argv.slice(2));
/** By then all has been compiled that a start needs, and nothing has been dropped again as out of use. */
var keepAfterMs = 5000;
var keyBytes = 256;
var headBytes = 32;

function kindOfRun(args) {
  for (var at = 0; at < args.length; at += 1) {
    if (/^(-h|--help|-V|--version)$/.test(args[at])) return undefined;
    if (/^--once\b/.test(args[at])) return 'once';
  }
  return /^(broker|demo|fleet)$/.test(args[0]) ? args[0] : 'monitor';
}

/**
 * Where compiled code is kept between runs. Never the shared temporary folder: another user of the
 * machine could put code there. `undefined` when there is no home.
 */
function cacheFolder() {
  var home = ownFiles.homeFolder(process.env);
  if (process.platform === 'win32') {
    return path.join(process.env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'brokertop', 'Cache');
  }
  if (process.platform === 'darwin') return home && path.join(home, 'Library', 'Caches', 'brokertop');
  var caches = ownFiles.baseFolder(process.env.XDG_CACHE_HOME, home, '.cache');
  return caches && path.join(caches, 'brokertop');
}

/** What the code was compiled from: the file as it lies here, and the Node that reads it. */
function keyOf(stat) {
  var facts = [process.version, process.arch, stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino];
  var key = Buffer.alloc(keyBytes);
  key.write(facts.join(' '));
  return key;
}

/** The code that was kept: the key, a sum of what follows, the code. `undefined` unless it is whole, of this key, and the user's alone. */
function readKept(file, key) {
  var handle;
  try {
    if (ownFiles.folderFault(fs.lstatSync(path.dirname(file))) !== undefined) return undefined;
    handle = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW || 0) | (fs.constants.O_NONBLOCK || 0));
    if (ownFiles.fileFault(fs.fstatSync(handle)) !== undefined) return undefined;
    var kept = fs.readFileSync(handle);
    var code = kept.subarray(keyBytes + 4);
    // The engine does not look whether the code is damaged: it would crash.
    if (!kept.subarray(0, keyBytes).equals(key) || crc32(code) !== kept.readUInt32LE(keyBytes)) return undefined;
    return code;
  } catch (_error) {
    return undefined;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/** As `recursive` does, which never ends where a folder cannot be made and says that there is none above it, as in /proc. */
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

/** Through a neighbour and a rename, so that nobody reads half of it. A home that cannot be written to costs some milliseconds at each start. */
function write(file, key, code) {
  try {
    makeFolder(path.dirname(file));
    if (ownFiles.folderFault(fs.lstatSync(path.dirname(file))) === undefined) replace(file, key, code);
  } catch (_error) {
    // The next run tries again.
  }
}

function replace(file, key, code) {
  var draft = file + '.' + process.pid + '.draft';
  var flags = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | (fs.constants.O_NOFOLLOW || 0);
  var sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(code));
  try {
    fs.writeFileSync(draft, Buffer.concat([key, sum, code]), { mode: parseInt('600', 8), flag: flags });
    fs.renameSync(draft, file);
  } catch (error) {
    // Also what an earlier run of this number left behind.
    fs.unlinkSync(draft);
    throw error;
  }
}

/** What the engine writes before code: for which engine, source and flags it is. */
function headOfCode() {
  return new vm.Script('0').createCachedData().subarray(0, headBytes);
}

/**
 * The code that has been compiled so far, for a start with the flags of this start: the program changes how the engine
 * collects and compiles WebAssembly later, and code for other flags would be refused.
 */
function codeForStart(script, headAtStart) {
  var code = script.createCachedData();
  var headNow = headOfCode();
  for (var at = 0; at < headBytes; at += 4) {
    var flags = headNow.readUInt32LE(at);
    if (flags !== headAtStart.readUInt32LE(at) && flags === code.readUInt32LE(at)) headAtStart.copy(code, at, at, at + 4);
  }
  return code;
}

function keepLater(script, file, key) {
  var headAtStart = headOfCode();
  var isKept = false;
  function keep() {
    if (isKept) return;
    isKept = true;
    write(file, key, codeForStart(script, headAtStart));
  }
  setTimeout(keep, keepAfterMs).unref();
  // What ended in an error has not run what the next start will.
  process.on('exit', function (code) { if (code === 0) keep(); });
}

/** Compiles the program as `require` would, but with all the code that was compiled in an earlier run. */
function compile() {
  var folder = cacheFolder();
  if (folder === undefined) return undefined;
  // In ASCII: the fastest to read.
  var source = fs.readFileSync(program, 'latin1');
  var file = path.join(folder, (kind || 'monitor') + '-' + process.version + '-' + process.arch + '.code');
  var key = keyOf(fs.statSync(program));
  var code = readKept(file, key);
  var script = new vm.Script('(function (require, module, exports, __filename, __dirname) {' + source + '\n})', {
    filename: program, cachedData: code
  });
  if (kind !== undefined && (code === undefined || script.cachedDataRejected)) keepLater(script, file, key);
  return script.runInThisContext();
}

var run;
try {
  run = compile();
} catch (_error) {
  // No home, or a program that is not to be read: the usual way says so.
}
if (run === undefined) require(program);
else run(require, module, exports, program, __dirname);
