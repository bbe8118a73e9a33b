import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { safe } from '../../src/terminal/safe-text.ts';
import { answer, type RawServer, startRawServer } from '../support/raw-http-server.ts';
import { asciiTheme, colorTheme } from '../tui/support/rig.tsx';
import { type HostileBroker, startHostileBroker } from './broker.ts';
import { type CheckedProgram, openChecked } from './checked-program.tsx';
import { frameFaults } from './table.ts';
import { allHostileTexts, giantTexts, unescape } from './texts.ts';
import { copyTexts } from '../../src/tui/hooks/texts.ts';

let broker: HostileBroker;
beforeAll(async () => {
  broker = await startHostileBroker();
});
afterAll(() => broker.close());
const opened: CheckedProgram[] = [];
const servers: RawServer[] = [];
afterEach(async () => {
  for (const program of opened.splice(0)) await program.end();
  for (const server of servers.splice(0)) await server.close();
});

const open = (url: string, theme = colorTheme): CheckedProgram => {
  const program = openChecked({ url, columns: 120, rows: 40, theme });
  opened.push(program);
  return program;
};

/** Opens the list of clients, with one client. */
const openOn = async (id: string, words: readonly string[], theme = colorTheme): Promise<CheckedProgram> => {
  broker.say({ nodes: ['one@h'], names: [id], words });
  const program = open(broker.url, theme);
  program.type('4');
  await program.until((text) => /^│? CLIENT ID[^]*^│?[▸>]/mu.test(text));
  return program;
};

const wicked = '\u001B]0;owned\u0007\u009B2J\u202E\r\n\u0000é\u{E0041}';
const brokerTexts = ['\u001B]52;c;aGk=\u0007no', '\u009B31mway\r\nbrokertop: done'];

describe('what comes of an action', () => {
  test.each([
    ['in colour', colorTheme],
    ['in ASCII', asciiTheme],
  ])('is shown %s, with the words of the broker, on the screen, in the log and in the audit', async (_, theme) => {
    const program = await openOn(wicked, brokerTexts, theme);
    program.type('K');
    await program.until((text) => text.includes('Disconnect this client?') && unescape(text).includes(wicked));
    await program.agree(/Not done/u);
    // The dialog wraps between words.
    expect(program.lines().join('\n')).toContain(String.raw`\x1b]52;c;aGk=\x07no`);
    program.type('\r');
    program.type('L');
    await program.until((text) => /^ Timeline/mu.test(text) && text.includes(String.raw`\x1b]0;owned`));
    expect([frameFaults(program), program.faults()]).toEqual([[], []]);

    const lines = program.audit;
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) {
      expect(line).toMatch(/^[ -~]+\n$/u);
      expect(JSON.parse(line)).toMatchObject({ action: 'disconnect-client', target: { clientId: wicked } });
    }
    expect(lines.join('')).toContain(
      JSON.stringify(brokerTexts.join(' '))
        .slice(1, -1)
        .replaceAll('\u009B', String.raw`\u009b`),
    );
  });
});

describe('an id of 65,000 characters', () => {
  test.each(giantTexts.map((text) => [`${JSON.stringify(text.slice(0, 5))}…`, text] as const))(
    '%s: in the confirmation, the outcome, the log and the audit log',
    async (_, id) => {
      const program = await openOn(id, brokerTexts);
      program.type('K');
      // The whole name must be scrolled through before `y` works.
      await program.until((text) => text.includes('Disconnect this client?') && text.includes('Read the rest first'));
      program.type('\u001B[6~'.repeat(80));
      await program.until((text) => text.includes('Disconnect this client?') && !text.includes('Read the rest first'));
      await program.agree(/Not done/u);
      expect(program.lines().join('\n')).toContain(String.raw`\x1b]52;c;aGk=\x07no`);
      program.type('\r');
      program.type('L');
      await program.until((text) => /^ Timeline/mu.test(text) && /disconnect client/iu.test(text));
      expect([frameFaults(program), program.faults()]).toEqual([[], []]);
      expect(program.audit.map((line): unknown => JSON.parse(line))).toMatchObject(
        program.audit.map(() => ({ target: { clientId: id } })),
      );
      expect(program.audit.length).toBeGreaterThanOrEqual(2);
    },
  );
});

describe('the clipboard', () => {
  test('gets the exact id, and the message about it only prints', async () => {
    const program = await openOn(wicked, brokerTexts);
    program.type('y');
    await program.until((text) => text.includes(copyTexts.copied(safe``)));
    expect(program.screen.effects()).toMatchObject({
      clipboard: [wicked],
      titles: [],
      replies: [],
      commands: [],
      bells: 0,
    });
  });

  test('gets an id of 65,000 characters to the last one', async () => {
    const id = `${'x'.repeat(64_999)}y`;
    const program = await openOn(id, brokerTexts);
    program.type('y');
    await program.until((text) => text.includes(copyTexts.copied(safe``)));
    expect(program.screen.effects().clipboard).toEqual([id]);
  });

  test.each([
    ['', 'Not copied: nothing to copy'],
    ['a\uD83D', 'Not copied: not valid Unicode (unpaired surrogate)'],
    ['x'.repeat(80_000), "Not copied: too long for the terminal's clipboard"],
  ])('gets nothing else instead of %j', async (id, why) => {
    const program = await openOn(id, brokerTexts);
    program.type('y');
    await program.until((text) => text.includes(why));
    expect(program.faults()).toEqual([]);
  });
});

describe('errors', () => {
  const head = (text: string): Buffer => Buffer.from(text, 'latin1');
  const bodies: Readonly<Record<string, Buffer>> = {
    'a reason phrase': head('HTTP/1.1 500 \u001B]0;owned\u0007\u009B2J\r\ncontent-length: 0\r\n\r\n'),
    headers: answer(503, '', { 'retry-after': '\u001B[2J', 'www-authenticate': '\u001B]0;x\u0007', x: '\u009B2J' }),
    'a redirect': answer(302, '', { location: 'http://x/\u001B]0;owned\u0007' }),
    HTML: answer(200, '<title>\u001B]0;owned\u0007</title>'),
    'JSON that is none': answer(200, '{"code":\u001B]0;owned\u0007}'),
    'words of a refusal': answer(200, JSON.stringify({ code: 9, message: wicked })),
    'another shape': answer(200, JSON.stringify({ code: 0, result: { [wicked]: wicked, objects: [wicked] } })),
    'bytes that are not UTF-8': Buffer.concat([
      Buffer.from('{"code":0,"result":[{"name":"'),
      Buffer.from([0x9b, 0x32, 0x4a, 0xff, 0xc0, 0x9b]),
      Buffer.from('","node_status":"Running"}]}'),
    ]),
    'no HTTP': head('\u001B]0;owned\u0007\r\n\r\n'),
  };

  test.each(Object.entries(bodies))('%s: the message on every screen only prints', async (_, bytes) => {
    const server = await startRawServer(() => bytes);
    servers.push(server);
    const program = open(server.url);
    for (const [key, shown] of [
      ['1', new RegExp('Problems', 'u')],
      ['2', /^ NODE/mu],
      ['4', /^ CLIENT ID/mu],
      ['@', /^ NAME/mu],
      ['T', new RegExp('Triage', 'u')],
      ['L', /^ Timeline/mu],
    ] as const) {
      program.type(key);
      await program.until((text) => shown.test(text));
      expect(frameFaults(program)).toEqual([]);
    }
    expect(program.faults()).toEqual([]);
  });
});

test('any text in the URLs and the reason of a failover only prints', async () => {
  broker.say({ nodes: ['one@h'], names: ['a'], words: ['b'] });
  for (const text of [allHostileTexts.join('').slice(0, 300), wicked]) {
    const program = open(broker.url);
    await program.until((shown) => /\d nodes/u.test(shown));
    program.monitor.noteSkippedAddress({ url: text, brief: text, message: text });
    await program.until((shown) => shown.includes('! Skipped '));
    program.monitor.noteFailover({ url: text, insteadOf: text, because: text });
    await program.until((shown) => shown.includes('! Switched to '));
    expect([frameFaults(program), program.faults()]).toEqual([[], []]);
  }
});
