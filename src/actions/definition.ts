import type { Capabilities, ManagementApi } from '../api/management-api.ts';
import type { Action, ShownValue } from './action.ts';

/**
 * How to add an action:
 *
 * 1. Add the request to the port, `api/management-api.ts`, and to the dialects that have it.
 * 2. Call `defineAction` in the module of what it acts on (clients, messages, plugins, settings, users). `create` takes
 *    what the operator saw and returns the sentence that describes the action, the fields for the audit, and
 *    - `recheck`: reads the target again, and returns either a plan or why nothing is sent;
 *    - in the plan, `requests`: each is sent once; and `verify`: reads whether it happened;
 *    - `effects`: what the monitor reads again afterwards.
 *    Send nothing outside the plan's requests: the runner records, sends and judges.
 * 3. Add the definition to the list in `registry.ts`.
 * 4. Bind a key in `ui/keys/keymap.ts` (`isDangerous`) and give its id as `key`; an action without a key of its own names
 *    that of the menu, `rowActions`, and has a `menuLabel`.
 * 5. Make the question in `ui/dialogs/*-requests.ts`: a form, or a confirmation with the frozen target.
 * 6. `npm run readme` writes the table of actions. `test/ui/coverage.test.tsx` fails until a screen reaches the action.
 */
export interface ActionDefinition<Id extends string = string, Field extends string = string> {
  /** Stands in the audit and the log; never changes. */
  readonly id: Id;
  /** What it does to what, for the README and the palette: `disconnect a client`. */
  readonly label: string;
  /** What the menu of a row calls it, where it is in one. */
  readonly menuLabel?: string;
  /** `none`: it only asks the broker. `destroys`: what it ends or removes does not come back by itself. */
  readonly danger: 'none' | 'changes' | 'destroys';
  /** What the broker's API must be capable of. */
  readonly capability?: keyof Capabilities;
  readonly targetKind: 'client' | 'subscription' | 'message' | 'plugin' | 'setting' | 'user' | 'credentials';
  /** The screens that offer it, for the README. */
  readonly where: string;
  /** Id of the key binding, in `ui/keys/keymap.ts`. */
  readonly key: string;
  /** The requests that it may send. */
  readonly operations: readonly (keyof ManagementApi)[];
  /** How the operator confirms it, for the README. */
  readonly confirmation: string;
  /** What the audit records of the target. */
  readonly auditFields: readonly Field[];
}

/** What one action adds to its definition. */
export interface ActionParts<Field extends string> extends Omit<Action, 'name' | 'capability' | 'isQuestion' | 'target' | 'each'> {
  readonly target: Readonly<Partial<Record<Field, ShownValue>>>;
}

/** A definition with the function that makes an action of what the operator saw. */
export interface DefinedAction<Id extends string, Field extends string, Arguments extends readonly unknown[]> extends ActionDefinition<Id, Field> {
  readonly create: (...args: Arguments) => Action;
}

/** Defines an action; `create` returns a frozen action that has its name and capability from the definition. */
export function defineAction<const Id extends string, const Field extends string, Arguments extends readonly unknown[]>(
  definition: ActionDefinition<Id, Field> & { readonly create: (...args: Arguments) => ActionParts<Field> },
): DefinedAction<Id, Field, Arguments> {
  const { id, capability, danger, create } = definition;
  return Object.freeze({
    ...definition,
    create: (...args: Arguments) => {
      const { target, ...parts } = create(...args);
      return Object.freeze<Action>({
        ...parts,
        name: id,
        capability,
        isQuestion: danger === 'none' ? true : undefined,
        target: Object.freeze({ ...target }),
      });
    },
  });
}
