import { expect, test } from 'vitest';
import { startRawServer, success } from '../support/raw-http-server.ts';
import { openMonitor, targetOf } from './support.ts';

const node = 'n1@127.0.0.1';

/** A broker of one node: for every page of clients it says that there is one more. */
function startEndless() {
  return startRawServer(({ path }) => {
    const [, page, size] = /curr_page=(\d+)&page_size=(\d+)/u.exec(path)?.map(Number) ?? [];
    if (page !== undefined && size !== undefined) {
      const objects = Array.from({ length: size }, (_, index) => (index === 7 ? { client_id: index } : { client_id: `c${page}-${index}`, connected_at: '2018-03-01 10:00:00' }));
      return success({ current_page: page, page_size: size, total_num: 9_000_000, total_page: page + 1, objects });
    }
    if (path.endsWith('monitoring/nodes')) return success([{ name: node, node_status: 'Running', clients: 9_000_000 }]);
    if (path.endsWith('management/nodes')) return success([{ name: node, node_status: 'Running', version: '2.3' }]);
    return success({ [node]: {} });
  });
}

test('a list without an end stops at --max-rows, and says so with what was not understood; keys are heard', async ({ onTestFinished }) => {
  const server = await startEndless();
  onTestFinished(() => server.close());
  const terminal = openMonitor(targetOf(server.url, 'only for tests'), { args: ['--variant', 'b', '--max-rows', '12000'], cols: 160, rows: 30 });
  terminal.press('4');
  await terminal.waitFor(() => terminal.text().includes(`! clients of ${node}: only 12,000 of 9,000,000 rows read (limit: --max-rows)`), { timeoutMs: 20_000 });
  // Rows are put in order before they are shown.
  await terminal.waitFor(() => terminal.text().includes('showing 12,000 of 12,000'), { timeoutMs: 20_000 });
  expect(terminal.text()).toMatch(/stopped at \S+ % · 3 not understood/u);
  terminal.press('L');
  await terminal.waitFor(() => terminal.text().includes('The fields of one: client_id: number.'), { timeoutMs: 20_000 });
  expect(terminal.text()).toContain(`clients of ${node}: 3 of 12,003 rows not understood and left out`);
});
