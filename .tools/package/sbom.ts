import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Enums, Models, Serialize, Spec, type SPDX } from '@cyclonedx/cyclonedx-library';
import type { LockFile } from '../lock-file.ts';

export interface Runtime {
  /** `linux-x64` */
  readonly platform: string;
  readonly version: string;
}

export interface SbomInput {
  readonly root: string;
  /** Paths of the bundled files, relative to `root`. */
  readonly inputs: readonly string[];
  readonly lock: LockFile;
  /** The Node of a single executable. */
  readonly runtime?: Runtime | undefined;
}

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description?: string;
}

const readPackage = (folder: string): PackageFile =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as PackageFile;

/** `node_modules/a/node_modules/@b/c` for any file in it; `undefined` for files of the project. */
const packageFolder = (input: string): string | undefined =>
  /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(input)?.[1];

/** All are on the list of `licences.mjs`, in SPDX's words. */
const licencesOf = (license: string): Models.LicenseRepository =>
  new Models.LicenseRepository([new Models.SpdxLicense(license as SPDX.SpdxId)]);

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** `sha512-…` of a lock file as hex. */
const sha512 = (integrity: string | undefined): Models.HashDictionary => {
  const [, base64] = /^sha512-(.+)$/u.exec(integrity ?? '') ?? [];
  return new Models.HashDictionary(
    base64 === undefined ? [] : [[Enums.HashAlgorithm['SHA-512'], Buffer.from(base64, 'base64').toString('hex')]],
  );
};

const componentOf = (
  { name, version, license, description }: PackageFile,
  integrity: string | undefined,
): Models.Component =>
  new Models.Component(Enums.ComponentType.Library, name, {
    version,
    description,
    bomRef: purlOf(name, version),
    purl: purlOf(name, version),
    hashes: sha512(integrity),
    licenses: licencesOf(license),
  });

/**
 * The bundled packages, and Node where it is embedded, as CycloneDX JSON. Without a date or serial number, so that
 * builds are reproducible.
 */
export function sbomOf({ root, inputs, lock, runtime }: SbomInput): string {
  const own = readPackage(root);
  const program = new Models.Component(Enums.ComponentType.Application, own.name, {
    version: own.version,
    description: own.description,
    bomRef: purlOf(own.name, own.version),
    purl: purlOf(own.name, own.version),
    licenses: licencesOf(own.license),
  });
  const folders = [...new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))].toSorted();
  const found = folders.map((folder) =>
    componentOf(readPackage(path.join(root, folder)), lock.packages[folder]?.integrity),
  );
  // A package may be installed in several folders.
  const bundled = new Map(found.map((component) => [component.purl, component])).values();
  const node =
    runtime === undefined
      ? []
      : [
          new Models.Component(Enums.ComponentType.Platform, 'node', {
            version: runtime.version,
            description: `Node.js for ${runtime.platform}`,
            bomRef: `pkg:generic/node@${runtime.version}`,
            purl: `pkg:generic/node@${runtime.version}`,
            hashes: sha512(lock.packages[`node_modules/node-${runtime.platform}`]?.integrity),
            licenses: licencesOf('MIT'),
          }),
        ];
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: program }),
    components: new Models.ComponentRepository([...bundled, ...node]),
  });
  for (const component of bom.components) program.dependencies.add(component.bomRef);
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}
