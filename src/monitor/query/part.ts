/** Tells the values of one definition apart: a node, a client ID, a topic. Empty where there is one value only. */
export type QueryKey = readonly unknown[];

/** A part of the monitor's state, typed by its definition: one value for each key. */
export interface Part<State, Key extends QueryKey = []> {
  /** Unique among all parts. */
  readonly name: string;
  /** The value until there is another. */
  readonly empty: State;
  /** Returns the same text for equal keys only. A key of one text is that text. */
  readonly textOf: (...key: Key) => string;
  /** What a recording keeps of a value, as `Recorded`; by default all of it but functions and binary data. */
  readonly recorded?: 'no' | ((value: never) => unknown) | undefined;
}

/** `no`, or what is kept of a value: no secret and no payload of a message may be in it. */
export type Recorded<State> = 'no' | ((value: State) => State);

const definitions = new Map<string, Part<unknown, never>>();

/** Makes the definition known by its name, by which recordings refer to it. */
export function define<Definition extends { readonly name: string }>(definition: Definition): Readonly<Definition> {
  definitions.set(definition.name, definition as unknown as Part<unknown, never>);
  return Object.freeze(definition);
}

/** Returns the definition with this name, if its module is loaded. */
export const definedPart = (name: string): Part<unknown, never> | undefined => definitions.get(name);

export interface Recordable<State> {
  readonly recorded?: Recorded<State> | undefined;
}

/** Defines a part of the state that is no reading, but follows from readings. */
export const definePart = <State, Key extends QueryKey = []>(
  name: string,
  empty: State,
  { recorded }: Recordable<State> = {},
): Part<State, Key> => define({ name, empty, textOf: textOfKey, recorded });

/** Something that the monitor reads for as long as it is watched. */
export type Query<State = unknown, Key extends QueryKey = never> = Part<State, Key> & {
  readonly kind: 'resource' | 'scan' | 'derived';
};

/** The values of all parts, by name and the text of their key. */
export interface Readings {
  readonly readings: Readonly<Record<string, ReadonlyMap<string, unknown>>>;
}

/** A query with its key: what is watched, or is to be read again after an action. */
export interface Watch {
  readonly query: Query;
  readonly key: QueryKey;
}

/** A definition without a key stands for itself. */
export type Watchable = Watch | Query<unknown, []>;

/** The text of a key, for `Part.textOf`. */
export function textOfKey(...key: QueryKey): string {
  const [first] = key;
  return key.length === 0 ? '' : key.length === 1 && typeof first === 'string' ? first : JSON.stringify(key);
}

/** Returns the query with its key, to be watched or read again. */
export const watchOf = <State, Key extends QueryKey>(query: Query<State, Key>, ...key: Key): Watch => ({ query, key });

export const asWatch = (watchable: Watchable): Watch =>
  'query' in watchable ? watchable : { query: watchable, key: [] };

const keyTextOf = ({ query, key }: Watch): string => query.textOf(...(key as never));

/** Returns the same text for equal watches only. */
export function watchKey(watchable: Watchable): string {
  const watch = asWatch(watchable);
  const text = keyTextOf(watch);
  return text === '' ? watch.query.name : `${watch.query.name} ${text}`;
}

/** Returns the value of a part: what was last read, or `empty`. */
export const reading = <State, Key extends QueryKey>(
  { readings: parts }: Readings,
  part: Part<State, Key>,
  ...key: Key
): State => (parts[part.name]?.get(part.textOf(...key)) as State | undefined) ?? part.empty;

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** Returns all values of a part, by the text of their key. The same map until one of them changes. */
export const readings = <State, Key extends QueryKey>(
  { readings: parts }: Readings,
  part: Part<State, Key>,
): ReadonlyMap<string, State> => (parts[part.name] as ReadonlyMap<string, State> | undefined) ?? none;

/** Returns the readings with another value of one part. */
export const withReading = <State, Key extends QueryKey>(
  { readings: parts }: Readings,
  part: Part<State, Key>,
  value: State,
  ...key: Key
): Readings => ({
  readings: { ...parts, [part.name]: new Map(parts[part.name]).set(part.textOf(...key), value) },
});

/** Returns the readings without the value of a watch. */
export function withoutReading({ readings: parts }: Readings, watch: Watch): Readings {
  const left = new Map(parts[watch.query.name]);
  left.delete(keyTextOf(watch));
  return { readings: { ...parts, [watch.query.name]: left } };
}

/** Whether something watches a query, with any key. */
export const isWatched = (
  { watched }: { readonly watched?: readonly Watchable[] | undefined },
  { name }: Pick<Query, 'name'>,
): boolean => watched?.some((each) => asWatch(each).query.name === name) === true;
