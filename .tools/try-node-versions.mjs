/**
 * Installs the packed program into an empty folder and starts it with several versions of Node from the registry.
 * Supported ones must start it; an older one must print one sentence and exit with 2.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'node-versions-'));
const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const versions = [
  { major: 20, starts: false },
  { major: 22, starts: true },
  { major: 24, starts: true },
  { major: 26, starts: true },
];

const npm = (...args) =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

try {
  npm('pack', path.join(root, 'dist'), '--loglevel=error');
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const program = path.join(folder, 'installed');
  mkdirSync(program);
  writeFileSync(path.join(program, 'package.json'), '{"private":true}');
  npm('install', '--prefix', program, '--loglevel=error', '--no-audit', '--no-fund', path.join(folder, tarball));

  let isGood = true;
  for (const { major, starts } of versions) {
    const home = path.join(folder, String(major));
    mkdirSync(home);
    writeFileSync(path.join(home, 'package.json'), '{"private":true}');
    npm(
      'install',
      '--prefix',
      home,
      '--loglevel=error',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `${platform}@${major}`,
    );
    const node = path.join(home, 'node_modules', platform, 'bin', 'node');
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    for (const flag of ['--version', '--help']) {
      const { status, stdout, stderr } = spawnSync(
        node,
        [path.join(program, 'node_modules', 'brokertop', 'brokertop.cjs'), flag],
        { encoding: 'utf8' },
      );
      const isAsExpected = starts
        ? status === 0 && stdout !== '' && stderr === ''
        : status === 2 && stdout === '' && stderr.trim().split('\n').length === 1;
      isGood &&= isAsExpected;
      const firstLine = `${stdout}${stderr}`.trim().split('\n')[0];
      console.log(
        `${isAsExpected ? 'ok ' : 'BAD'} ${version.padEnd(9)} ${flag.padEnd(9)} exit ${status}: ${firstLine}`,
      );
    }
  }
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
