import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import { headingOf } from '../../../src/resources/view/list-scope.ts';
import {
  breadcrumbsOf,
  navigate,
  type Navigation,
  type Place,
  startNavigation,
  withTitle,
} from '../../../src/screens/navigation.ts';
import { plainTheme } from '../../tui/support/rig.tsx';
import type { ListScope } from '../../../src/resources/view/scope.ts';

const node = 'broker1@127.0.0.1';
const onNode: ListScope = { kind: 'node', node };
const ofClient: ListScope = { kind: 'client', clientId: 'controller-000002' };
const topic: ListScope = { kind: 'topic', topic: 'plant-d/line-3/controller-000002/state' };

/** Goes to a screen, and to what is opened from there one after the other. */
const through = (screen: Place, ...places: readonly Place[]): Navigation =>
  places.reduce(
    (state, place) => navigate(state, { type: 'open', place }),
    navigate(startNavigation, { type: 'go', place: screen }),
  );
const heading = (
  width: number,
  scope: ListScope,
  navigation: Navigation,
  title = safe`Sessions`,
  note?: Parameters<typeof headingOf>[5],
): string =>
  stripVTControlCharacters(
    headingOf(plainTheme, width, title, scope, breadcrumbsOf(navigation).map(withTitle), note) ?? '',
  );

const deep = through(
  { screen: 'nodes' },
  { screen: 'node', node },
  { screen: 'clients', scope: onNode },
  { screen: 'client', clientId: 'controller-000002' },
  { screen: 'sessions', scope: ofClient },
);

describe('the heading of a list', () => {
  test('shows the breadcrumbs and Esc', () => {
    expect(heading(120, ofClient, deep)).toMatch(
      /^ Nodes › broker1@127\.0\.0\.1 › Clients › controller-000002 › Sessions +Esc back $/,
    );
    expect(heading(120, onNode, navigate(navigate(deep, { type: 'back' }), { type: 'back' }), safe`Clients`)).toMatch(
      /^ Nodes › broker1@127\.0\.0\.1 › Clients +Esc/,
    );
    expect(
      heading(120, onNode, through({ screen: 'nodes' }, { screen: 'clients', scope: onNode }), safe`Clients`),
    ).toMatch(/^ Nodes › broker1@127\.0\.0\.1 › Clients +Esc/);
    const session = through(
      { screen: 'nodes' },
      { screen: 'clients', scope: onNode },
      { screen: 'client', clientId: 'controller-000002' },
      { screen: 'sessions', scope: ofClient },
    );
    expect(heading(120, ofClient, session)).toMatch(
      /^ Nodes › broker1@127\.0\.0\.1 › Clients › controller-000002 › Sessions +Esc/,
    );
  });

  test('names the row of a list and its page once', () => {
    const client = through(
      { screen: 'sessions', scope: ofClient },
      { screen: 'client', clientId: 'controller-000002' },
      { screen: 'subscriptions', scope: ofClient },
    );
    expect(heading(120, ofClient, client, safe`Subscriptions`).match(/controller-000002/gu)).toHaveLength(1);
  });

  test('drops the middle breadcrumbs first', () => {
    expect(heading(64, ofClient, deep)).toMatch(/^ Nodes › … › Clients › controller-000002 › Sessions +Esc back $/);
    expect(heading(56, ofClient, deep)).toMatch(/^ Nodes › … › controller-000002 › Sessions +Esc back $/);
    expect(heading(46, ofClient, deep)).toMatch(/^ … › controller-000002 › Sessions +Esc back $/);
    expect(heading(26, ofClient, deep)).toMatch(/^ … › Sessions +Esc back $/);
    expect(heading(22, ofClient, deep)).toMatch(/^ Sessions +Esc back $/);
  });

  test('starts at the screen that was gone to, and repeats nothing', () => {
    const grouped: ListScope = { kind: 'groups', by: 'node', of: undefined };
    expect(
      heading(80, grouped, through({ screen: 'clients' }, { screen: 'clients', scope: grouped }), safe`Clients`),
    ).toMatch(/^ Clients › by node +Esc/);
    expect(
      breadcrumbsOf(
        navigate(through({ screen: 'nodes' }, { screen: 'node', node }), { type: 'go', place: { screen: 'clients' } }),
      ),
    ).toEqual([]);
  });

  test('gives the scope room before breadcrumbs and note', () => {
    const breadcrumbs = through({ screen: 'subscriptions' }, { screen: 'subscriptions', scope: topic });
    const note = { text: safe`routed to broker1@127.0.0.1, broker2@127.0.0.1, broker3@127.0.0.1` };
    const line = heading(80, topic, breadcrumbs, safe`Subscriptions`, note);
    expect(line).toHaveLength(80);
    expect(line).toMatch(/^ topic plant-d\/line-3\/controller-000002\/state +routed to br.*…  Esc back $/);
    expect(heading(60, topic, breadcrumbs, safe`Subscriptions`, note)).toMatch(
      /^ topic plant-d\/line-3\/contro.*… +routed to bro…  Esc back $/,
    );
    expect(heading(100, topic, breadcrumbs, safe`Subscriptions`, note)).toContain(
      'topic plant-d/line-3/controller-000002/state  ',
    );
  });
});
