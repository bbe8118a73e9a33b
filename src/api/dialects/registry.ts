import type { RegisteredDialect, ServedProfile } from '../dialect.ts';
import { aboutEmqV2 } from './emq-v2/about.ts';
import { aboutEmqxV4 } from './emqx-v4/about.ts';
import { aboutEmqxV5 } from './emqx-v5/about.ts';

/**
 * All supported APIs, oldest first: flags, help, detection, the demo and tables of the READMEs follow from here. To add
 * one, add a folder here, its line to this list, and its client half to `index.ts`.
 */
export const dialects = [aboutEmqV2, aboutEmqxV4, aboutEmqxV5] as const satisfies readonly RegisteredDialect[];

type Registered = (typeof dialects)[number];
export type DialectId = Registered['id'];
export type ApiName = Registered['api'];
export type ApiChoice = 'auto' | ApiName;
export type VariantName = Registered['variants'][number];
/** A release of a real broker that the embedded one imitates. */
export type ProfileName = Registered['profiles'][number]['name'];

interface NamedProfile extends ServedProfile {
  readonly name: ProfileName;
}

const profilesOf = ({ profiles }: Registered): readonly NamedProfile[] => profiles;

/** The dialect that is served unless another is chosen. */
export const [firstDialect] = dialects;
export const apiNames: readonly ApiName[] = dialects.map(({ api }) => api);
export const apiChoices: readonly ApiChoice[] = ['auto', ...apiNames];
export const variantNames: readonly VariantName[] = dialects.flatMap(
  ({ variants }): readonly VariantName[] => variants,
);
export const profileNames: readonly ProfileName[] = dialects.flatMap((dialect) =>
  profilesOf(dialect).map(({ name }) => name),
);

export const dialectOfApi = (api: ApiName): Registered => dialects.find((each) => each.api === api) ?? firstDialect;

export const variantsOf = ({ variants }: Registered): readonly VariantName[] => variants;

export const dialectOfVariant = (variant: string): Registered | undefined =>
  dialects.find((dialect) => variantsOf(dialect).some((name) => name === variant));

/** Returns a profile with its dialect. @throws TypeError for an unknown one */
export function profileNamed(name: ProfileName): { readonly dialect: Registered; readonly profile: NamedProfile } {
  for (const dialect of dialects) {
    const profile = profilesOf(dialect).find((each) => each.name === name);
    if (profile !== undefined) return { dialect, profile };
  }
  throw new TypeError(`no profile ${name}`);
}

/** Returns the newest release of an API that the demo can be; `undefined` if no real broker has the variant. */
export const newestProfile = (dialect: Registered, variant: VariantName | undefined): NamedProfile | undefined =>
  profilesOf(dialect).findLast((profile) => profile.variant === variant);
