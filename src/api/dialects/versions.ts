/** As `--variant` names them. Plain data: the flags are read before any dialect is loaded. */
export const apiVersions = {
  'emq-v2': { versions: ['a', 'b'], basePath: '/api/v2' },
} as const;

export type DialectId = keyof typeof apiVersions;
export type ApiVersion = (typeof apiVersions)[DialectId]['versions'][number];

export const versionNames: readonly ApiVersion[] = Object.values(apiVersions).flatMap(({ versions }) => versions);
export const basePaths: readonly string[] = Object.values(apiVersions).map(({ basePath }) => basePath);

export const dialectOf = (version: string): DialectId | undefined =>
  (Object.keys(apiVersions) as DialectId[]).find((id) => (apiVersions[id].versions as readonly string[]).includes(version));
