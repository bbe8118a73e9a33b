import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/domain/client.ts';
import { patternOf } from '../../../src/checks/reconnects/common-trait.ts';

const clientOf = (clientId: string, patch: Partial<Client>): Client => ({
  clientId,
  node: 'a',
  connectedAt: 1,
  ipAddress: '10.0.0.1',
  port: undefined,
  username: 'ann',
  cleanSession: undefined,
  protocolVersion: undefined,
  keepaliveSeconds: undefined,
  unparsed: {},
  ...patch,
});

const many = (count: number, prefix: string, patch: (index: number) => Partial<Client>): readonly Client[] =>
  Array.from({ length: count }, (_, index) => clientOf(`${prefix}${index}`, patch(index)));

describe('what clients have in common', () => {
  const others = many(40, 'other-', (index) => ({
    node: index % 2 === 0 ? 'a' : 'b',
    username: index % 2 === 0 ? 'ann' : 'bob',
    ipAddress: `10.0.${index}.1`,
  }));

  test.each([
    ['username', { username: 'eve' }, 'eve'],
    ['network', { ipAddress: '10.9.9.7' }, '10.9.9.0/24'],
    ['node', { node: 'c' }, 'c'],
  ] as const)('%s', (trait, patch, value) => {
    const members = many(20, 'other-9', (index) => ({
      node: index % 2 === 0 ? 'a' : 'b',
      username: index % 3 === 0 ? 'ann' : 'bob',
      ipAddress: `10.1.${index}.1`,
      ...patch,
    }));
    expect(patternOf([...members, ...others], members)).toEqual({ trait, value });
  });

  test('the start of their ids', () => {
    const members = many(20, 'cam-', (index) => ({
      node: index % 2 === 0 ? 'a' : 'b',
      username: index % 3 === 0 ? 'ann' : 'bob',
      ipAddress: `10.1.${index}.1`,
    }));
    expect(patternOf([...members, ...others], members)).toEqual({ trait: 'prefix', value: 'cam-' });
  });

  test('nothing that the others do not share', () => {
    const members = many(20, 'other-9', (index) => ({
      username: index % 3 === 0 ? 'ann' : 'bob',
      ipAddress: `10.1.${index}.1`,
    }));
    const same = others.map((client) => ({ ...client, node: 'a' }));
    expect(patternOf([...members, ...same], members)).toEqual({ trait: 'none', nodes: 1, usernames: 2 });
  });

  test('of clients that are away', () => {
    const members = many(20, 'cam-', (index) => ({
      node: index % 2 === 0 ? 'a' : 'b',
      username: 'eve',
      ipAddress: `10.1.${index}.1`,
    }));
    expect(patternOf(others, members)).toEqual({ trait: 'username', value: 'eve' });
  });

  test('is unknown of a few clients, or without others', () => {
    const members = many(9, 'cam-', () => ({}));
    expect(patternOf([...members, ...others], members)).toBeUndefined();
    expect(patternOf(others, others)).toBeUndefined();
  });
});
