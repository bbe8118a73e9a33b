/**
 * The types that the program gives to the library, which knows neither its keys nor its screens: declaration merging adds
 * `binding`, a union of `{ id, scope }`, `place`, what `go` leads to, `tab`, the screens with a tab, and `plain`, those that every place can open.
 */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Registered {}

type Given<Name extends string> = Registered extends Readonly<Record<Name, infer Type>> ? Type : never;

/** The name and the scope of each key of the program. */
export type ProgramBinding = Given<'binding'>;

/** A place where the operator can be. */
export type Place = Given<'place'>;

export type ScreenId = Place['screen'];

export type TabId = Given<'tab'>;

/** Screens that need nothing to be opened, unlike the page of a row. */
export type PlainScreenId = Given<'plain'>;
