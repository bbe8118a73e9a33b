import { describe, expect, test } from 'vitest';
import { actionDefinitions, type AnyAction } from '../../src/resources/actions.ts';
import { screenMenu } from '../../src/tui/dialogs/screen-menu.ts';
import { definitionOf, screens } from '../../src/screens/registry.ts';
import { allBindings, catalog, createKeymap, keysMarkdown } from '../../src/screens/keys.ts';
import { commandOfAction } from '../../src/actions/define-action.ts';

/** The actions with a key on a screen of their own, and that screen. */
const ofScreens = actionDefinitions.flatMap(({ key, ...action }) => {
  const screen = screens.find(({ id }) => typeof key !== 'string' && id === key.scope);
  return typeof key === 'string' || screen === undefined ? [] : [{ ...action, key, screen: definitionOf(screen.id) }];
});

describe('an action and its key are defined in one place', () => {
  test('the key of each is on a screen, on the rows of clients, or everywhere', () => {
    const places = ['row', 'global', ...screens.map(({ id }) => id)];
    const scopes = actionDefinitions.flatMap(({ key }) => (typeof key === 'string' ? [] : [key.scope]));
    expect(places).toEqual(expect.arrayContaining(scopes));
  });

  test('each is asked for by its key, or by the menu of a row', () => {
    const unreachable = actionDefinitions.filter((action: AnyAction) =>
      typeof action.key === 'string' || action.key.scope === 'row'
        ? action.rowChoice === undefined
        : action.ask === undefined,
    );
    expect(unreachable.map(({ id }) => id)).toEqual([]);
  });

  test('there are such actions', () => {
    expect(ofScreens.map(({ id }) => id)).toEqual(expect.arrayContaining(['add-ban', 'lift-ban']));
  });

  test.each(ofScreens.map((action) => [action.id, action] as const))(
    '%s: the hints, the menu, the help and the README of its screen have it',
    (_, { key, screen }) => {
      expect(screen.scopes).toContain(key.scope);
      expect(screen.hints).toContain(key.id);
      expect(keysMarkdown()).toContain(
        `| \`${key.keys[0]}\` | ${key.help} (not in read-only mode) | ${screen.title} |`,
      );
      const binding = allBindings.find(({ id }) => id === key.id);
      expect(binding).toMatchObject({ group: 'Actions', label: key.label, help: key.help });
      if (!screen.scopes.includes('actions') || binding === undefined) return;
      const menu = screenMenu(catalog, screen.id as Parameters<typeof screenMenu>[1], [binding], undefined);
      expect(menu).toMatchObject({ request: { choices: [{ next: key.id, note: key.keys[0] }] } });
    },
  );

  test.each(actionDefinitions.map((action) => [action.id, action] as const))(
    '%s: read-only mode does not have its key',
    (_, action) => {
      const command = commandOfAction(action);
      expect(allBindings.map(({ id }) => id as string)).toContain(command);
      expect(createKeymap({ isReadOnly: true }).bindings.map(({ id }) => id as string)).not.toContain(command);
    },
  );
});
