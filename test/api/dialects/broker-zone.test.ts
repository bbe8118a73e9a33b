import { expect, test } from 'vitest';
import { createBrokerZone } from '../../../src/api/dialects/broker-zone.ts';

const utc = (text: string): number => Date.parse(`${text}Z`) / 1_000;
/** Berlin leaves daylight saving time at 2026-10-25T01:00Z and enters it at 2026-03-29T01:00Z. */
const berlin = (atMs: number): number =>
  atMs / 1_000 >= utc('2026-03-29T01:00:00') && atMs / 1_000 < utc('2026-10-25T01:00:00') ? 7_200 : 3_600;

/** Returns how long ago a wall-clock time is, with the broker's clock and this machine's in `zone`. */
function ageOf(now: string, wallNow: string, wall: string, zone: (atMs: number) => number): number {
  const brokers = createBrokerZone(() => utc(now) * 1_000, zone);
  brokers.note(utc(wallNow));
  return brokers.toBroker(utc(wallNow)) - brokers.toBroker(utc(wall));
}

test('a client that connected before the clock was set back is as old as it is', () => {
  // Connected at 00:56:08Z, read at 01:10:04Z.
  expect(ageOf('2026-10-25T01:10:04', '2026-10-25T02:10:04', '2026-10-25T02:56:08', berlin)).toBe(836);
  // The same of one that connected earlier that day, and the month before.
  expect(ageOf('2026-10-25T05:00:00', '2026-10-25T06:00:00', '2026-10-25T01:00:00', berlin)).toBe(6 * 3_600);
  expect(ageOf('2026-10-25T05:00:00', '2026-10-25T06:00:00', '2026-09-25T06:00:00', berlin)).toBe(30 * 86_400 + 3_600);
  // And of one that connected after it, and in the hour that the clock showed twice.
  expect(ageOf('2026-10-25T05:00:00', '2026-10-25T06:00:00', '2026-10-25T04:00:00', berlin)).toBe(2 * 3_600);
  expect(ageOf('2026-10-25T05:00:00', '2026-10-25T06:00:00', '2026-10-25T02:30:00', berlin)).toBe(3.5 * 3_600);
});

test('a client that connected before the clock was set forward is as old as it is', () => {
  expect(ageOf('2026-03-29T01:10:00', '2026-03-29T03:10:00', '2026-03-29T01:50:00', berlin)).toBe(20 * 60);
  expect(ageOf('2026-03-29T01:10:00', '2026-03-29T03:10:00', '2026-03-29T03:05:00', berlin)).toBe(5 * 60);
});

test('a broker in another zone is believed, but not that a client connected in the future', () => {
  const tokyo = (): number => 9 * 3_600;
  expect(ageOf('2026-10-25T01:10:04', '2026-10-25T02:10:04', '2026-10-25T02:56:08', tokyo)).toBe(836);
  expect(ageOf('2026-10-25T05:00:00', '2026-10-25T06:00:00', '2026-10-25T05:00:00', tokyo)).toBe(3_600);
});

test('times stay the same over a change that is seen from here', () => {
  let now = '2026-10-25T00:50:00';
  const zone = createBrokerZone(
    () => utc(now) * 1_000,
    () => 0,
  );
  zone.note(utc('2026-10-25T02:50:00'));
  const before = zone.toBroker(utc('2026-10-25T01:30:00'));
  now = '2026-10-25T01:30:00';
  zone.note(utc('2026-10-25T02:30:00'));
  expect(zone.toBroker(utc('2026-10-25T01:30:00'))).toBe(before);
  expect(zone.toBroker(utc('2026-10-25T02:30:00')) - before).toBe(2 * 3_600);
});

test('before a node has told its clock, times are as they are', () => {
  expect(createBrokerZone().toBroker(1_000)).toBe(1_000);
});

test('a clock that is wrong is believed', () => {
  for (const wrong of ['2026-10-25T06:07:00', '2026-10-19T06:07:00']) {
    const zone = createBrokerZone(() => utc('2026-10-25T05:00:00') * 1_000, berlin);
    zone.note(utc(wrong));
    expect(zone.toBroker(utc(wrong))).toBe(utc(wrong));
  }
});

test('seconds since 1970 fit the wall clock of the broker, also if this machine is wrong', () => {
  const zone = createBrokerZone(() => utc('2026-10-25T05:20:00') * 1_000, berlin);
  expect(zone.fromEpoch(utc('2026-10-25T05:00:00'))).toBeUndefined();
  expect(zone.toEpoch(0)).toBeUndefined();
  zone.note(utc('2026-10-25T10:30:02'), utc('2026-10-25T05:00:02'));
  expect(zone.fromEpoch(utc('2026-10-25T05:00:00'))).toBe(utc('2026-10-25T10:30:00'));
  expect(zone.toEpoch(utc('2026-10-25T10:30:00'))).toBe(utc('2026-10-25T05:00:00'));
});
