import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { type BulkProgress, noSkips } from '../../../src/actions/bulk.ts';
import { type ActingState, initialActingState } from '../../../src/actions/state.ts';
import { ProxyLoginError } from '../../../src/api/errors.ts';
import { messageLine } from '../../../src/ui/frame/message.tsx';
import { plainTheme } from '../support/rig.tsx';

const bulk: BulkProgress = {
  id: 'x', title: 'disconnect 1,400 marked clients', phase: 'running', total: 1_400, perSecond: 20, done: 100, notDone: 10, unknown: 5, skipped: 5, skips: noSkips, running: 4, sent: 3, waiting: 1_276,
  failures: [], endedBecause: undefined, startedAtMs: 0, finishedAtMs: undefined,
};
const line = (state: Partial<ActingState>, width = 80): string => stripVTControlCharacters(messageLine(plainTheme, width, { ...initialActingState(2), ...state }, undefined, 0)).trimEnd();

test('names what to correct where a proxy rejected its login', () => {
  const proxyRefusal = new ProxyLoginError({ url: 'http://proxy.test:3128', variable: 'HTTPS_PROXY', hasLogin: true });
  expect(line({ isUnauthorized: true, proxyRefusal }, 120)).toMatch(/^ ! proxy login rejected \(407\): correct HTTPS_PROXY and start again; nothing is fetched meanwhile +/u);
});

test('names an address that was skipped for a while, after the one that answers', () => {
  const skippedAddress = { url: 'https://b', brief: 'certificate expired', message: 'Certificate expired: have it renewed.', atMs: 0 };
  const takeover = { url: 'http://c', insteadOf: 'http://a', because: 'It is gone.', atMs: 0 };
  const skipped = /^ ! skipped https:\/\/b: certificate expired \(L: log\) +/u;
  expect(line({ skippedAddress }, 120)).toMatch(skipped);
  expect(line({ skippedAddress, takeover }, 120)).toContain('! now http://c');
  const atMs = -15_001;
  expect(line({ skippedAddress: { ...skippedAddress, atMs }, takeover: { ...takeover, atMs } }, 120)).toMatch(skipped);
  expect(line({ skippedAddress: { ...skippedAddress, atMs: -30_001 } }, 120)).not.toContain('skipped');
});

test('says how far the running bulk is, and which key shows it, until it is finished', () => {
  expect(line({ bulk })).toMatch(/ disconnecting 120 of 1,400 \(B\) · 0 requests\/min$/u);
  expect(line({ bulk: { ...bulk, phase: 'ending' } })).toContain('disconnecting 120 of 1,400');
  expect(line({ bulk: { ...bulk, phase: 'finished' } })).toBe(line({}));
});

test('says what the requests of the last minute cost, where there is room, and only what is known', () => {
  const causedLoad = { requests: 96, answerBytes: 1_234_567, seconds: 0.42 };
  expect(line({ causedLoad }, 120)).toMatch(/^ +1\.2 MB in 0\.4 s · 96 requests\/min$/u);
  expect(line({ causedLoad }, 30).trim()).toBe('96 requests/min');
  expect(line({ causedLoad: { ...causedLoad, requests: 1 } }, 30).trim()).toBe('1 request/min');
  // What is wrong is not cut for it.
  const wrong = line({ causedLoad, isUnauthorized: true }, 120);
  expect(wrong).toContain('nothing is fetched meanwhile');
  expect(wrong).toMatch(/ {2}96 requests\/min$/u);
  expect(line({ causedLoad: { ...causedLoad, answerBytes: undefined } }, 120).trim()).toBe('96 requests/min');
});
