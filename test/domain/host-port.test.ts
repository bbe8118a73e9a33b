import { expect, it } from 'vitest';
import { hostPort } from '../../src/domain/text.ts';

it.each([
  ['10.2.4.17', 51_220, '10.2.4.17:51220'], ['localhost', 0, 'localhost:0'], ['::1', 1883, '[::1]:1883'], ['fe80::1', undefined, '[fe80::1]'], ['10.2.4.17', undefined, '10.2.4.17'],
])('%s and %s are written as %s', (host, port, text) => {
  expect(hostPort(host, port)).toBe(text);
});
