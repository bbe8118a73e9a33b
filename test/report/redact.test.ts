import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/report/redact.ts';

const redact = createRedactor([
  { name: 'client', values: ['worker-1', 'worker-12', 'ann', ''] },
  { name: 'user', values: ['ann', 'gate'] },
  { name: 'address', values: ['10.2.4.17'] },
]);

describe('redaction', () => {
  test.each([
    ['worker-1 is losing 73 msg/s', 'client-1 is losing 73 msg/s'],
    ['worker-12, worker-1', 'client-2, client-1'],
    // The same value has one name, whatever it is.
    ['user ann, client ann', 'user client-3, client client-3'],
    // Within a longer word it is another value.
    ['annex of ann', 'annex of client-3'],
    ['work/worker-1/alarms', 'work/client-1/alarms'],
    ['mostly from user gate', 'mostly from user user-1'],
    ['10.2.4.17:51220', 'address-1:51220'],
    // Addresses that nobody listed.
    ['from 192.168.0.9 and 192.168.0.9', 'from unlisted-address-1 and unlisted-address-1'],
    ['from fe80::1 at 14:02:31', 'from unlisted-address-2 at 14:02:31'],
    ['EMQX 5.8.9 at 14:02:31', 'EMQX 5.8.9 at 14:02:31'],
  ])('of %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test('leaves no listed value that stands by itself', () => {
    const word = fc.stringMatching(/^[a-z]{4,9}[0-9]{1,3}$/u);
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 20 }), fc.array(fc.nat(19)), (ids, picks) => {
        const text = picks.map((pick) => ids[pick % ids.length]).join(' / ');
        const shown = createRedactor([{ name: 'client', values: ids }])(text);
        for (const id of ids) expect(shown.split(' / ')).not.toContain(id);
        expect(shown.split(' / ')).toHaveLength(text.split(' / ').length);
      }),
    );
  });
});
