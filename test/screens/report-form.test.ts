import { expect, test, vi } from 'vitest';
import { reportRequest, type ReportStart } from '../../src/screens/report-form.ts';
import { createTheme } from '../../src/terminal/theme.ts';
import { at } from '../report/scene.ts';

const nowMs = at(30);

function requestOf(patch: Partial<ReportStart> = {}) {
  const write = vi.fn<ReportStart['write']>(() => Promise.resolve('# Incident report'));
  const save = vi.fn<ReportStart['save']>((typed) => Promise.resolve({ path: `/home/ann/${typed}`, bytes: 17 }));
  const request = reportRequest(createTheme({}), {
    write,
    save,
    range: { fromMs: at(1), toMs: at(20) },
    nowMs,
    ...patch,
  });
  const initial = Object.fromEntries(
    request.fields.map((field) => [
      field.id,
      field.choices !== undefined ? (field.choices[0] ?? '') : (field.initial ?? ''),
    ]),
  );
  return { request, initial, write, save };
}

async function submit(values: Readonly<Record<string, string>>, patch: Partial<ReportStart> = {}) {
  const form = requestOf(patch);
  const built = form.request.build({ ...form.initial, ...values });
  return { ...form, result: 'later' in built ? await built.later(() => {}) : built };
}

test('proposes the time, the format and the file', () => {
  expect(requestOf().initial).toEqual({
    from: '28 Nov 14:01:00',
    to: '28 Nov 14:20:00',
    format: 'html',
    redact: 'no',
    file: 'report-20261128-142000',
    replace: 'no',
  });
});

test('saves the report of the time that is typed, by the code that saves lists', async () => {
  const { write, save, result } = await submit({ from: '14:05', to: '5m', format: 'markdown', redact: 'yes' });
  expect(write).toHaveBeenCalledWith({ fromMs: at(5), toMs: at(25) + 999 }, 'markdown', true, expect.any(Function));
  expect(save).toHaveBeenCalledWith('report-20261128-142000.md', ['# Incident report'], false);
  expect(result).toMatchObject({
    next: {
      title: 'Saved',
      parts: [{ text: '/home/ann/report-20261128-142000.md' }, { text: 'Incident report, 17 B' }],
    },
  });
});

test('tells how much of the recording is read, once for each percent', async () => {
  const { request, initial } = requestOf({
    write: async (_range, _format, _isRedacted, onProgress) => {
      for (const share of [0, 0.129, 0.1299, 0.999]) onProgress(share);
      return '';
    },
  });
  const built = request.build(initial);
  const told: string[] = [];
  if ('later' in built) await built.later((text) => told.push(text));
  expect(told).toEqual([0, 12, 99].map((percent) => `${percent} % of the recording read`));
});

test.each([
  [{ from: 'soon' }, { error: 'Type a time, such as 14:02, 27 Nov 14:02:31 or 10m.', field: 'from' }],
  [{ to: '' }, { error: 'Type a time, such as 14:02, 27 Nov 14:02:31 or 10m.', field: 'to' }],
  [{ to: '14:00' }, { error: 'This must be later than From.', field: 'to' }],
  [{ file: ' ' }, { error: 'Type a file name.', field: 'file' }],
])('with %j asks again', async (values, expected) => {
  const { result, write } = await submit(values);
  expect(result).toEqual(expected);
  expect(write).not.toHaveBeenCalled();
});

test('says that nothing was recorded in that time, and saves nothing', async () => {
  const { result, save } = await submit({}, { write: () => Promise.resolve(undefined) });
  expect(result).toEqual({ error: 'Nothing was recorded in this time.', field: 'from' });
  expect(save).not.toHaveBeenCalled();
});
