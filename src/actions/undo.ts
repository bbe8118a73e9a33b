import { disclose, hidden } from '../domain/secret-keys.ts';
import type { Read, Undo, Undoing } from './action.ts';
import { Secret } from './secret.ts';
import { undoTexts } from './texts.ts';

/** A value of a setting: a secret one is known only in the run that read it. */
export type KeptValue = string | { readonly secret: Secret | typeof hidden };

export const keepValue = <T extends string | undefined>(key: string, value: T): KeptValue | T =>
  value === undefined || disclose(key, value) === value ? value : { secret: new Secret(value) };

/** Returns a value that was kept; `secret` if only the run that read it knows it. */
export const valueOfKept = <T extends undefined>(kept: KeptValue | T): { readonly value: string | T } | 'secret' => {
  if (kept === undefined || typeof kept === 'string') return { value: kept };
  return kept.secret instanceof Secret ? { value: kept.secret.reveal() } : 'secret';
};

class UnreadableError extends Error {}

/** Reads what an event keeps of an action. Another version may have written it. */
export interface KeptFields {
  readonly text: (field: string) => string;
  readonly optionalText: (field: string) => string | undefined;
  readonly number: (field: string) => number;
  readonly optionalNumber: (field: string) => number | undefined;
  readonly flag: (field: string) => boolean;
  readonly oneOf: <T extends string>(field: string, choices: readonly T[]) => T;
  readonly texts: (field: string) => readonly string[];
  readonly value: (field: string) => KeptValue | undefined;
  readonly list: <T>(field: string, read: (kept: KeptFields) => T) => readonly T[];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isKeptValue = (value: unknown): value is KeptValue =>
  isText(value) ||
  (typeof value === 'object' &&
    value !== null &&
    'secret' in value &&
    (value.secret === hidden || value.secret instanceof Secret));

const orAbsent =
  <T>(isOne: (value: unknown) => value is T) =>
  (value: unknown): value is T | undefined =>
    value === undefined || isOne(value);

function fieldsOf(kept: unknown): KeptFields {
  if (typeof kept !== 'object' || kept === null) throw new UnreadableError();
  const get = <T>(field: string, isOne: (value: unknown) => value is T): T => {
    const value: unknown = Object.hasOwn(kept, field) ? (kept as Readonly<Record<string, unknown>>)[field] : undefined;
    if (!isOne(value)) throw new UnreadableError();
    return value;
  };
  return {
    text: (field) => get(field, isText),
    optionalText: (field) => get(field, orAbsent(isText)),
    number: (field) => get(field, isNumber),
    optionalNumber: (field) => get(field, orAbsent(isNumber)),
    flag: (field) => get(field, isFlag),
    oneOf: <T extends string>(field: string, choices: readonly T[]) =>
      get(field, (value): value is T => choices.includes(value as T)),
    texts: (field) => get(field, (value): value is readonly string[] => isList(value) && value.every(isText)),
    value: (field) => get(field, orAbsent(isKeptValue)),
    list: (field, read) => get(field, isList).map((each) => read(fieldsOf(each))),
  };
}

/**
 * Defines how an action is taken back, from what it changed.
 *
 * @param read reads what an event keeps of it
 */
export const defineUndo = <Changed extends object>(
  read: (kept: KeptFields) => Changed,
  plan: (changed: Changed, read: Read) => Promise<Undoing>,
): { readonly plan: Undo; readonly changed: (changed: Changed) => Changed } => ({
  async plan(kept, request) {
    let changed: Changed;
    try {
      changed = read(fieldsOf(kept));
    } catch (error) {
      if (error instanceof UnreadableError) return { refused: undoTexts.unreadable };
      throw error;
    }
    return plan(changed, request);
  },
  changed: (changed) => changed,
});

/** Returns what an action changed as its event keeps it; `undefined` if a secret is in it. */
export function withoutSecrets(changed: object, secrets: readonly Secret[] = []): unknown {
  const json = JSON.stringify(changed);
  return secrets.some((secret) => !secret.isEmpty && secret.isIn(json)) ? undefined : JSON.parse(json);
}
