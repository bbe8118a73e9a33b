import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { repeatUntil } from '../e2e/actions/dialogs.ts';
import { openTerminal, type TerminalSession } from '../support/terminal.ts';

const root = path.join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'executable-'));
const out = path.join(folder, 'out');
const image = path.join(folder, 'image');
const name = `brokertop-${version}-linux-x64`;
const executable = path.join(out, name);
const canRun = process.platform === 'linux' && process.arch === 'x64';

const makeAll = (): void => {
  execFileSync(
    process.execPath,
    [path.join(root, '.tools', 'package', 'main.ts'), '--out', out, '--platform', 'linux-x64'],
    { stdio: 'pipe' },
  );
};

/** A machine with the executable and the libraries that it names, and nothing else; `false` where it cannot be made. */
function makeImage(): boolean {
  for (const each of ['dev', 'tmp', 'home']) mkdirSync(path.join(image, each), { recursive: true });
  copyFileSync(executable, path.join(image, 'brokertop'));
  for (const [library] of execFileSync('ldd', [executable], { encoding: 'utf8' }).matchAll(/\/\S+/gu)) {
    mkdirSync(path.join(image, path.dirname(library)), { recursive: true });
    copyFileSync(library, path.join(image, library));
  }
  const devices = [
    ['null', '3'],
    ['urandom', '9'],
  ] as const;
  const isMade = devices.every(
    ([device, minor]) =>
      spawnSync('mknod', ['-m', '666', path.join(image, 'dev', device), 'c', '1', minor]).status === 0,
  );
  return isMade && spawnSync('chroot', [image, '/brokertop', '--version']).error === undefined;
}

describe.runIf(canRun)('npm run package', () => {
  beforeAll(makeAll, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('makes the npm package and an executable, with checksums and licences', () => {
    const names = readdirSync(out).toSorted();
    expect(names).toEqual(
      [
        'LICENSES-node.txt',
        'LICENSES.txt',
        'SHA256SUMS',
        name,
        `${name}.sbom.json`,
        `brokertop-${version}.sbom.json`,
        `brokertop-${version}.tgz`,
      ].toSorted(),
    );
    const sums = names
      .filter((each) => each !== 'SHA256SUMS')
      .map((each) => `${hash('sha256', readFileSync(path.join(out, each)))}  ${each}`);
    expect(readFileSync(path.join(out, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')).toEqual(sums);
  });

  test('the SBOMs are valid, and name the packages whose licences are included', async () => {
    const [npm = '', single = ''] = [`brokertop-${version}`, name].map((each) =>
      readFileSync(path.join(out, `${each}.sbom.json`), 'utf8'),
    );
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect([await validator.validate(npm), await validator.validate(single)]).toEqual([null, null]);
    const componentsOf = (sbom: string): readonly string[] =>
      (
        JSON.parse(sbom) as { components: { name: string; version: string; licenses: { license: { id: string } }[] }[] }
      ).components.map((component) => `${component.name} ${component.version} (${component.licenses[0]?.license.id})`);
    const licensed = [...readFileSync(path.join(out, 'LICENSES.txt'), 'utf8').matchAll(/^={80}\n(.+)\n={80}$/gmu)].map(
      ([, title]) => title,
    );
    expect(componentsOf(npm).toSorted()).toEqual([...new Set(licensed)].toSorted());
    expect(componentsOf(single)).toEqual(
      expect.arrayContaining([...componentsOf(npm), `node ${process.versions.node} (MIT)`]),
    );
  });

  test('nothing of the machine that made them is in them', () => {
    const unpacked = path.join(folder, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', path.join(out, `brokertop-${version}.tgz`), '-C', unpacked]);
    const files = [
      executable,
      ...readdirSync(unpacked, { recursive: true, encoding: 'utf8' })
        .map((each) => path.join(unpacked, each))
        .filter((each) => statSync(each).isFile()),
    ];
    expect(files.length).toBeGreaterThan(20);
    for (const each of files) {
      const content = readFileSync(each);
      expect([each, root, 'brokertop-package-'].filter((text) => text !== each && content.includes(text))).toEqual([]);
    }
  });

  test('equal sources make equal files', () => {
    const sums = (): string => readFileSync(path.join(out, 'SHA256SUMS'), 'utf8');
    const before = sums();
    makeAll();
    expect(sums()).toBe(before);
  }, 120_000);

  test('prints its version, its help and its errors', () => {
    const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } => {
      const { status, stdout, stderr } = spawnSync(executable, args, { encoding: 'utf8', env: { HOME: folder } });
      return { status, stdout, stderr };
    };
    expect(run('--version')).toEqual({ status: 0, stdout: `brokertop ${version}\n`, stderr: '' });
    expect(run('list', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: brokertop list'),
    });
    expect(run('--urls')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('--urls') });
  });

  test('runs the demo on a machine without Node', async ({ skip }) => {
    skip(process.getuid?.() !== 0 || !makeImage(), 'needs the right to make devices and to chroot');
    chmodSync(path.join(image, 'tmp'), 0o1777);
    const terminal: TerminalSession = openTerminal({
      command: 'chroot',
      args: [image, '/brokertop', 'demo', '--clients', '20'],
      cols: 100,
      rows: 30,
      env: { HOME: '/home' },
    });
    try {
      await terminal.waitFor(/3\/3 nodes/u, { timeoutMs: 20_000 });
      await terminal.waitFor(/broker3 +running +\d/u, { timeoutMs: 20_000 });
      terminal.press('q');
      await terminal.waitFor('The demo cluster stops too.');
      await repeatUntil(
        terminal,
        () => {
          terminal.press('y');
        },
        (session) => !session.modes().isAlternateScreen,
      );
      expect((await terminal.exited).code).toBe(0);
    } finally {
      await terminal.close();
    }
  }, 120_000);
});
