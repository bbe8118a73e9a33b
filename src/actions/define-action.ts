import type { Capabilities, WriteName } from '../api/management-api.ts';
import type { SafeText } from '../terminal/safe-text.ts';
import type { Theme } from '../terminal/theme.ts';
import type { Action, ShownValue, Undo } from './action.ts';
import type { DialogOrRefusal, DialogRequest } from './requests.ts';

/** The key of an action, as hints, menus, help, palette and the configuration know it. */
export interface ActionKey<Id extends string = string, Scope extends string = string> {
  /** The name of the command; the configuration has it with dashes. */
  readonly id: Id;
  /** The screen whose key it is, `row` for the lists of clients, or `global`. */
  readonly scope: Scope;
  readonly keys: readonly string[];
  readonly label: string;
  readonly help: string;
  /** Further words that the palette and the help find it by. */
  readonly words?: string;
  /** Whole words for which the palette puts the command first. */
  readonly aliases?: readonly string[];
}

/** The rows that most screens show to their actions; some add to it. */
export interface ShownRows<T> {
  /** The row under the cursor. */
  readonly row: T | undefined;
  readonly rows: readonly T[];
}

/** Makes the dialog of an action when its key is pressed. */
export type Ask = () => DialogOrRefusal;

/** The choice of an action in the menu of a row, or why this broker lacks it. */
export type RowChoice =
  | { readonly next: DialogRequest; readonly label?: SafeText | undefined }
  | { readonly missing: SafeText };

/**
 * Everything that one action is: `create` makes it from what the operator saw and confirmed, for the runner; the key and the
 * dialog are for the screens. `src/README.md` says how to add one.
 */
export interface ActionDefinition<
  Id extends string = string,
  Field extends string = string,
  Key extends ActionKey | string = ActionKey | string,
  Shown = never,
  Row = never,
> {
  readonly id: Id;
  /** The label of the action in menus and in the README. */
  readonly label: string;
  /** The name in the menu of a row; by default the label. */
  readonly menuLabel?: string;
  /** `none`: the action changes nothing. `destroys`: it ends or removes something. */
  readonly danger: 'none' | 'changes' | 'destroys';
  readonly capability?: keyof Capabilities;
  /** The place where the action can be chosen, as the README lists it. */
  readonly where: string;
  /** Its own key, or the name of the command that leads to it. */
  readonly key: Key;
  readonly operations: readonly WriteName[];
  /** The kind of confirmation, as the README lists it. */
  readonly confirmation: string;
  readonly auditFields: readonly Field[];
  /** The dialog stays open once the action is done, and says what it led to. */
  readonly staysOpen?: true;
  /**
   * Returns what the key asks on its screen; `undefined` where there is nothing to act on. A function of its own makes the
   * dialog and declares what it returns, because it calls `create`.
   */
  readonly ask?: (theme: Theme, shown: Shown) => Ask | undefined;
  /** Returns the action that takes one back; `defineUndo` makes it. */
  readonly undo?: Undo | undefined;
  /** Returns the entry in the menu of a row; `undefined` where the action does not apply. */
  readonly rowChoice?: (theme: Theme, row: Row) => RowChoice | undefined;
}

export interface ActionParts<Field extends string> extends Omit<
  Action,
  'name' | 'capability' | 'isQuestion' | 'isDangerous' | 'staysOpen' | 'target' | 'each'
> {
  readonly target: Readonly<Partial<Record<Field, ShownValue>>>;
}

export interface DefinedAction<
  Id extends string,
  Field extends string,
  Arguments extends readonly unknown[],
  Key extends ActionKey | string = ActionKey | string,
  Shown = never,
  Row = never,
> extends ActionDefinition<Id, Field, Key, Shown, Row> {
  readonly create: (...args: Arguments) => Action;
}

export function defineAction<
  const Id extends string,
  const Field extends string,
  Arguments extends readonly unknown[],
  const Key extends ActionKey | string,
  Shown = unknown,
  Row = unknown,
>(
  definition: ActionDefinition<Id, Field, Key, Shown, Row> & {
    readonly create: (...args: Arguments) => ActionParts<Field>;
  },
): DefinedAction<Id, Field, Arguments, Key, Shown, Row> {
  const { id, capability, danger, staysOpen, create } = definition;
  return Object.freeze({
    ...definition,
    create: (...args: Arguments) => {
      const { target, ...parts } = create(...args);
      return Object.freeze<Action>({
        ...parts,
        name: id,
        capability,
        isQuestion: danger === 'none' ? true : undefined,
        isDangerous: danger === 'destroys' ? true : undefined,
        staysOpen,
        target: Object.freeze({ ...target }),
      });
    },
  });
}

/** The name of the command that asks for an action: of its own key, or of the key that leads to it. */
export const commandOfAction = ({ key }: Pick<ActionDefinition, 'key'>): string =>
  typeof key === 'string' ? key : key.id;
