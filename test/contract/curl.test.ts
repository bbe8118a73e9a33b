import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { basePath } from '../../src/api/dialects/emq-v2/base-path.ts';
import { endpoints } from '../../src/api/dialects/emq-v2/paths.ts';
import { curlLines, sampleClient } from '../support/curl-reference.ts';
import { password, startChain, variants } from './support.ts';

const run = promisify(execFile);

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the curl lines of a variant from the README. */
function printedLines(variant: 'a' | 'b'): readonly string[] {
  const readme = readFileSync(new URL('../../src/api/dialects/emq-v2/README.md', import.meta.url), 'utf8');
  const block =
    readme.split(`Variant ${variant.toUpperCase()} (\`brokertop broker --variant ${variant}\`):`)[1]?.split('```')[1] ??
    '';
  return block.split('\n').filter((line) => line.startsWith('curl '));
}

it.each(variants)('the README has a line for every endpoint of variant %s', (variant) => {
  expect(printedLines(variant)).toEqual(curlLines(variant));
  const onlyOther = variant === 'a' ? 8 + 1 : 1;
  expect(curlLines(variant)).toHaveLength(Object.keys(endpoints).length - onlyOther);
});

it.skipIf(!hasCurl()).each(variants)('every line of the README works unchanged, variant %s', async (variant) => {
  const chain = await startChain(variant);
  try {
    await chain.connect(sampleClient, 0);
    const environment = { ...process.env, BROKER: chain.broker.server.url + basePath, LOGIN: `admin:${password}` };
    for (const line of printedLines(variant)) {
      const { stdout } = await run('sh', ['-c', line], { env: environment });
      expect([line, JSON.parse(stdout)]).toEqual([line, { code: 0, result: expect.anything() }]);
    }
    // The lines took effect and undid each other's changes.
    expect((await chain.api.listUsers()).map(({ username }) => username)).toEqual(['admin']);
    expect(await chain.api.getClient(sampleClient)).toEqual([]);
  } finally {
    await chain.close();
  }
});
