/**
 * Plain data, because flags are read before any dialect is loaded. Its names are those of `--variant` (`versions`),
 * `--api` (`api`) and `--profile` (`profiles`).
 */
export const apiVersions = {
  'emq-v2': { api: 'v2', versions: ['a', 'b'], basePath: '/api/v2', defaultPort: 8080, profiles: ['emq-2.3'] },
  'emqx-v5': { api: 'v5', versions: [], basePath: '/api/v5', defaultPort: 18083, profiles: ['emqx-5.0', 'emqx-5.8'] },
} as const;

export type DialectId = keyof typeof apiVersions;
export type ApiVersion = (typeof apiVersions)[DialectId]['versions'][number];
export type ServedApiName = (typeof apiVersions)[DialectId]['api'];
/** A release of a real broker that the embedded one imitates. */
export type ProfileName = (typeof apiVersions)[DialectId]['profiles'][number];
export type ApiChoice = 'auto' | ServedApiName;

export const versionNames: readonly ApiVersion[] = Object.values(apiVersions).flatMap(
  ({ versions }): readonly ApiVersion[] => versions,
);
export const servedApis: readonly ServedApiName[] = Object.values(apiVersions).map(({ api }) => api);
export const apiChoices: readonly ApiChoice[] = ['auto', ...servedApis];
export const basePaths: readonly string[] = Object.values(apiVersions).map(({ basePath }) => basePath);

export const profileNames: readonly ProfileName[] = Object.values(apiVersions).flatMap(
  ({ profiles }): readonly ProfileName[] => profiles,
);

const ids = Object.keys(apiVersions) as readonly DialectId[];

export const dialectOf = (version: string): DialectId | undefined =>
  ids.find((id) => (apiVersions[id].versions as readonly string[]).includes(version));
export const dialectOfApi = (api: ApiChoice): DialectId | undefined => ids.find((id) => apiVersions[id].api === api);

/** Returns the API of a profile. */
export const dialectOfProfile = (profile: ProfileName): DialectId =>
  ids.find((id) => (apiVersions[id].profiles as readonly string[]).includes(profile)) ?? 'emq-v2';
