'use strict';
// `npm start`: builds, then runs the demo in this process.
require('./need-node.cjs');

const path = require('node:path');
const { spawnSync } = require('node:child_process');

process.stderr.write('Building brokertop\u2026\n');
const build = spawnSync(process.execPath, [path.join(__dirname, 'build.mjs'), '--quiet'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

const program = path.join(__dirname, '..', 'dist', 'brokertop.cjs');
process.argv = [process.argv[0], program, 'demo', ...process.argv.slice(2)];
require(program);
