import { describe, expect, it } from 'vitest';
import { currentPlace, navigate, type Navigation, type Place, startNavigation } from '../../src/screens/navigation.ts';
import { tabOf } from '../../src/screens/registry.ts';
import { placeKey } from '../../src/tui/list/list-state.ts';

const client: Place = { screen: 'client', clientId: 'a' };

describe('navigate', () => {
  it('goes back and forward through the history', () => {
    let state = navigate(startNavigation, { type: 'go', place: { screen: 'clients' } });
    state = navigate(state, { type: 'go', place: client });
    state = navigate(state, { type: 'back' });
    expect(currentPlace(state)).toEqual({ screen: 'clients' });
    state = navigate(state, { type: 'forward' });
    expect(currentPlace(state)).toEqual(client);
    expect(navigate(state, { type: 'forward' })).toEqual(state);
  });

  it('another view of the same list replaces the current one', () => {
    const look = (node: string, plugin: string): Place => ({ screen: 'plugin-settings', node, plugin });
    let state = navigate(startNavigation, { type: 'go', place: { screen: 'plugins' } });
    for (const place of [look('a', 'p'), look('b', 'p'), look('c', 'p')])
      state = navigate(state, { type: 'go', place });
    expect(currentPlace(state)).toEqual(look('c', 'p'));
    expect(currentPlace(navigate(state, { type: 'back' }))).toEqual({ screen: 'plugins' });
    state = navigate(state, { type: 'go', place: look('c', 'q') });
    expect(currentPlace(navigate(state, { type: 'back' }))).toEqual(look('c', 'p'));
  });

  it('drops the places ahead when it goes elsewhere', () => {
    let state = navigate(startNavigation, { type: 'go', place: { screen: 'clients' } });
    state = navigate(state, { type: 'back' });
    state = navigate(state, { type: 'go', place: { screen: 'metrics' } });
    expect(state.places).toEqual([{ screen: 'overview' }, { screen: 'metrics' }]);
  });

  it('does nothing at the first place, or when going to the same place', () => {
    expect(navigate(startNavigation, { type: 'back' })).toEqual(startNavigation);
    expect(navigate(startNavigation, { type: 'go', place: { screen: 'overview' } })).toBe(startNavigation);
  });

  it('keeps the last fifty places', () => {
    let state = startNavigation;
    for (let n = 0; n < 60; n += 1)
      state = navigate(state, { type: 'go', place: { screen: 'client', clientId: String(n) } });
    expect(state.places).toHaveLength(50);
    expect(currentPlace(state)).toEqual({ screen: 'client', clientId: '59' });
  });

  it('cycles through the tabs in both directions, also from an opened screen', () => {
    const opened = navigate(startNavigation, { type: 'go', place: client });
    expect(currentPlace(navigate(opened, { type: 'cycle-tab', by: 1 }))).toEqual({ screen: 'sessions' });
    expect(currentPlace(navigate(startNavigation, { type: 'cycle-tab', by: -1 }))).toEqual({ screen: 'more' });
  });
});

describe('Esc', () => {
  const go = (state: Navigation, screen: 'nodes' | 'clients' | 'plugins' | 'more'): Navigation =>
    navigate(state, { type: 'go', place: { screen } });
  const open = (state: Navigation, place: Place): Navigation => navigate(state, { type: 'open', place });
  const close = (state: Navigation): Navigation => navigate(state, { type: 'close' });

  it('does nothing on a screen that was not opened from another', () => {
    const state = go(go(go(startNavigation, 'nodes'), 'plugins'), 'more');
    expect(close(state)).toBe(state);
    const tab = navigate(open(go(startNavigation, 'clients'), client), { type: 'cycle-tab', by: 1 });
    expect(close(tab)).toBe(tab);
  });

  it('closes opened screens one by one', () => {
    const clients: Place = { screen: 'clients', scope: { kind: 'node', node: 'a' } };
    let state = open(open(open(go(startNavigation, 'nodes'), { screen: 'node', node: 'a' }), clients), client);
    const seen = [];
    for (let count = 0; count < 5; count += 1) {
      state = close(state);
      seen.push(currentPlace(state).screen);
    }
    expect(seen).toEqual(['clients', 'node', 'nodes', 'nodes', 'nodes']);
  });

  it('closes an opened screen reached by history', () => {
    const away = go(open(go(startNavigation, 'clients'), client), 'plugins');
    expect(close(away)).toBe(away);
    const back = navigate(away, { type: 'back' });
    expect(currentPlace(back)).toEqual(client);
    expect(currentPlace(close(back))).toEqual({ screen: 'clients' });
    expect(currentPlace(navigate(close(back), { type: 'forward' }))).toEqual(client);
  });

  it('closes a replacing screen to where the replaced one was opened from', () => {
    const groups = (by: 'node' | 'username'): Place => ({
      screen: 'clients',
      scope: { kind: 'groups', by, of: undefined },
    });
    const state = close(open(open(go(startNavigation, 'clients'), groups('node')), groups('username')));
    expect(currentPlace(state)).toEqual({ screen: 'clients' });
    expect(close(state)).toBe(state);
  });

  it('does nothing where the opener is no longer in the history', () => {
    let state = startNavigation;
    for (let n = 0; n < 60; n += 1) state = open(state, { screen: 'client', clientId: String(n) });
    for (let n = 0; n < 60; n += 1) state = close(state);
    expect(currentPlace(state)).toEqual({ screen: 'client', clientId: '10' });
  });
});

describe('places', () => {
  it('have different keys', () => {
    const places: Place[] = [
      { screen: 'clients' },
      client,
      { screen: 'client', clientId: 'clients' },
      { screen: 'node', node: 'a' },
      { screen: 'plugin-settings', node: 'a', plugin: 'b c' },
      { screen: 'plugin-settings', node: 'a b', plugin: 'c' },
      { screen: 'settings' },
      { screen: 'users' },
      { screen: 'more' },
    ];
    expect(new Set(places.map((place) => placeKey(place))).size).toBe(places.length);
  });

  it('belong to a tab', () => {
    expect(tabOf(client.screen)).toBe('clients');
    expect(tabOf('node')).toBe('nodes');
    expect(tabOf('sessions')).toBe('sessions');
  });

  it('change with the scope of the same list', () => {
    const narrow = (node: string): Place => ({ screen: 'clients', scope: { kind: 'node', node } });
    const state = ['a', 'a', 'b'].reduce(
      (before, node) => navigate(before, { type: 'go', place: narrow(node) }),
      startNavigation,
    );
    expect(state.places.slice(1)).toEqual([narrow('a'), narrow('b')]);
    expect(currentPlace(navigate(state, { type: 'back' }))).toEqual(narrow('a'));
    expect(tabOf('plugin-settings')).toBe('plugins');
    expect((['settings', 'users', 'log'] as const).map((screen) => tabOf(screen))).toEqual(['more', 'more', 'more']);
  });
});

describe('a visit with its own state', () => {
  it('is another place than the list itself', () => {
    expect(placeKey({ screen: 'sessions', visitId: 7 })).not.toBe(placeKey({ screen: 'sessions' }));
    expect(placeKey({ screen: 'sessions', visitId: 7 })).not.toBe(placeKey({ screen: 'sessions', visitId: 8 }));
  });

  it('is every opening of Triage, but not going back to it', () => {
    const at = (state: Navigation): string => placeKey(currentPlace(state));
    const first = navigate(startNavigation, { type: 'go', place: { screen: 'triage' } });
    const away = navigate(first, { type: 'go', place: { screen: 'sessions' } });
    expect(at(navigate(away, { type: 'back' }))).toBe(at(first));
    const again = navigate(away, { type: 'go', place: { screen: 'triage' } });
    expect(at(again)).not.toBe(at(first));
    expect(at(navigate(again, { type: 'back' }))).toBe('sessions');
    const twice = navigate(again, { type: 'go', place: { screen: 'triage' } });
    expect(at(navigate(twice, { type: 'back' }))).toBe('sessions');
  });
});
