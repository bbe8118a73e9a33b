import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answer, type RawServer, startRawServer } from '../support/raw-http-server.ts';
import { asciiTheme, colorTheme } from '../ui/support/rig.tsx';
import { type HostileBroker, startHostileBroker } from './broker.ts';
import { type Judged, openJudged } from './judged.tsx';
import { frameFaults } from './table.ts';
import { allHostileTexts, giantTexts, unescape } from './texts.ts';

let broker: HostileBroker;
beforeAll(async () => { broker = await startHostileBroker(); });
afterAll(() => broker.close());
const opened: Judged[] = [];
const servers: RawServer[] = [];
afterEach(async () => {
  for (const judged of opened.splice(0)) await judged.end();
  for (const server of servers.splice(0)) await server.close();
});

const open = (url: string, theme = colorTheme): Judged => {
  const judged = openJudged({ url, columns: 120, rows: 40, theme });
  opened.push(judged);
  return judged;
};

/** Opens the list of clients, with one client. */
const openOn = async (id: string, words: readonly string[], theme = colorTheme): Promise<Judged> => {
  broker.say({ nodes: ['one@h'], names: [id], words });
  const judged = open(broker.url, theme);
  judged.type('4');
  await judged.until((text) => /^ CLIENT ID[^]*^[▸>]/mu.test(text));
  return judged;
};

const wicked = '\u001B]0;owned\u0007\u009B2J\u202E\r\n\u0000é\u{E0041}';
const brokerTexts = ['\u001B]52;c;aGk=\u0007no', '\u009B31mway\r\nbrokertop: done'];

describe('what comes of an action', () => {
  test.each([['in colour', colorTheme], ['in ASCII', asciiTheme]])('is shown %s, with the words of the broker, on the screen, in the log and in the audit', async (_, theme) => {
    const judged = await openOn(wicked, brokerTexts, theme);
    judged.type('K');
    await judged.until((text) => text.includes('Disconnect this client?') && unescape(text).includes(wicked));
    await judged.agree(/Not done/u);
    // The dialog wraps between words.
    expect(judged.lines().join('\n')).toContain(String.raw`\x1b]52;c;aGk=\x07no`);
    judged.type('\r');
    judged.type('L');
    await judged.until((text) => text.includes(' LOG') && text.includes(String.raw`\x1b]0;owned`));
    expect([frameFaults(judged), judged.faults()]).toEqual([[], []]);

    const lines = judged.audit;
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) {
      expect(line).toMatch(/^[ -~]+\n$/u);
      expect(JSON.parse(line)).toMatchObject({ action: 'disconnect-client', target: { clientId: wicked } });
    }
    expect(lines.join('')).toContain(JSON.stringify(brokerTexts.join(' ')).slice(1, -1).replaceAll('\u009B', String.raw`\u009b`));
  });
});

describe('an id of 65,000 characters', () => {
  test.each(giantTexts.map((text) => [`${JSON.stringify(text.slice(0, 5))}…`, text] as const))('%s: in the question, in what came of it, in the log and in the audit', async (_, id) => {
    const judged = await openOn(id, brokerTexts);
    judged.type('K');
    // The whole name must be scrolled through before `y` works.
    await judged.until((text) => text.includes('Disconnect this client?') && text.includes('PgDn shows the rest first'));
    judged.type('\u001B[6~'.repeat(80));
    await judged.until((text) => text.includes('Disconnect this client?') && !text.includes('PgDn shows the rest first'));
    await judged.agree(/Not done/u);
    expect(judged.lines().join('\n')).toContain(String.raw`\x1b]52;c;aGk=\x07no`);
    judged.type('\r');
    judged.type('L');
    await judged.until((text) => text.includes(' LOG') && /disconnect client/iu.test(text));
    expect([frameFaults(judged), judged.faults()]).toEqual([[], []]);
    expect(judged.audit.map((line): unknown => JSON.parse(line))).toMatchObject(judged.audit.map(() => ({ target: { clientId: id } })));
    expect(judged.audit.length).toBeGreaterThanOrEqual(2);
  });
});

describe('the clipboard', () => {
  test('gets exactly the id, and what is said of it only prints', async () => {
    const judged = await openOn(wicked, brokerTexts);
    judged.type('y');
    await judged.until((text) => text.includes("sent to the terminal's clipboard"));
    expect(judged.screen.effects()).toMatchObject({ clipboard: [wicked], titles: [], replies: [], commands: [], bells: 0 });
  });

  test('gets an id of 65,000 characters to the last one', async () => {
    const id = `${'x'.repeat(64_999)}y`;
    const judged = await openOn(id, brokerTexts);
    judged.type('y');
    await judged.until((text) => text.includes("sent to the terminal's clipboard"));
    expect(judged.screen.effects().clipboard).toEqual([id]);
  });

  test.each([['', 'it is empty'], ['a\uD83D', 'half of a surrogate pair'], ['x'.repeat(80_000), 'longer than']])('gets nothing else instead of %j', async (id, why) => {
    const judged = await openOn(id, brokerTexts);
    judged.type('y');
    await judged.until((text) => text.includes('not copied') && text.includes(why));
    expect(judged.faults()).toEqual([]);
  });
});

describe('what goes wrong', () => {
  const head = (text: string): Buffer => Buffer.from(text, 'latin1');
  const bodies: Readonly<Record<string, Buffer>> = {
    'a reason phrase': head('HTTP/1.1 500 \u001B]0;owned\u0007\u009B2J\r\ncontent-length: 0\r\n\r\n'),
    'headers': answer(503, '', { 'retry-after': '\u001B[2J', 'www-authenticate': '\u001B]0;x\u0007', 'x': '\u009B2J' }),
    'a redirect': answer(302, '', { location: 'http://x/\u001B]0;owned\u0007' }),
    'HTML': answer(200, '<title>\u001B]0;owned\u0007</title>'),
    'JSON that is none': answer(200, '{"code":\u001B]0;owned\u0007}'),
    'words of a refusal': answer(200, JSON.stringify({ code: 9, message: wicked })),
    'another shape': answer(200, JSON.stringify({ code: 0, result: { [wicked]: wicked, objects: [wicked] } })),
    'bytes that are not UTF-8': Buffer.concat([Buffer.from('{"code":0,"result":[{"name":"'), Buffer.from([0x9B, 0x32, 0x4A, 0xFF, 0xC0, 0x9B]), Buffer.from('","node_status":"Running"}]}')]),
    'no HTTP': head('\u001B]0;owned\u0007\r\n\r\n'),
  };

  test.each(Object.entries(bodies))('%s: is said on every screen without a word that acts', async (_, bytes) => {
    const server = await startRawServer(() => bytes);
    servers.push(server);
    const judged = open(server.url);
    for (const [key, shown] of [['1', /What is wrong/u], ['2', /^ NODE/mu], ['4', /^ CLIENT ID/mu], ['@', /^ NAME/mu], ['T', /TRIAGE/u], ['L', / LOG/u]] as const) {
      judged.type(key);
      await judged.until((text) => shown.test(text));
      expect(frameFaults(judged)).toEqual([]);
    }
    expect(judged.faults()).toEqual([]);
  });
});

test('all texts in the name of the place, the user and the reason of a takeover only print', async () => {
  broker.say({ nodes: ['one@h'], names: ['a'], words: ['b'] });
  for (const text of [allHostileTexts.join('').slice(0, 300), wicked]) {
    const judged = open(broker.url);
    await judged.until((shown) => /nodes \d/u.test(shown));
    judged.monitor.noteTakeover({ url: text, insteadOf: text, because: text });
    judged.monitor.noteSkippedAddress({ url: text, brief: text, message: text });
    await judged.until((shown) => shown.includes('! now'));
    expect([frameFaults(judged), judged.faults()]).toEqual([[], []]);
  }
});
