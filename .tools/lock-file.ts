/**
 * `npm ci` wants the optional packages of every platform (`@oxlint/binding-darwin-arm64`, …) in the lock file. npm
 * leaves out those that a mirrored registry lacks; this adds them.
 */

export interface LockEntry {
  readonly version?: string | undefined;
  /** `sha512-` and base64. */
  readonly integrity?: string | undefined;
  readonly dev?: boolean | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
}

export interface PlatformEntry extends LockEntry {
  readonly optional: true;
  readonly os: readonly string[];
  readonly cpu: readonly string[];
  readonly libc?: readonly string[];
}

/** The parts of package-lock.json that are read. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

export interface MissingPackage {
  readonly name: string;
  readonly version: string;
  /** Whether only development needs the package. */
  readonly isDevelopment: boolean;
}

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** The optional dependencies that the lock file names but does not contain. */
export function missingPackages({ packages }: LockFile): MissingPackage[] {
  return Object.entries(packages).flatMap(([folder, { dev = false, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isFound(packages, folder, name))
      .map(([name, version]) => ({ name, version, isDevelopment: dev })),
  );
}

/**
 * An entry made from a package's name alone, enough for npm to skip it on other platforms.
 * @throws Error when the name does not include the platform
 */
export function platformEntry({ name, version, isDevelopment }: MissingPackage): PlatformEntry {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  const libc = Object.entries(libraries).find(([word]) => words.includes(word))?.[1];
  if (os === undefined || cpu === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Error(`The name of ${name}@${version} does not include its platform.`);
  }
  return {
    version,
    cpu: [cpu],
    ...(isDevelopment ? { dev: true } : {}),
    ...(libc === undefined || os !== 'linux' ? {} : { libc: [libc] }),
    optional: true,
    os: [os],
  };
}

/** Finds a package as Node does: in the dependent's node_modules, then further up. */
function isFound(packages: LockFile['packages'], folder: string, name: string): boolean {
  for (let base = folder; ; base = base.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (Object.hasOwn(packages, `${base === '' ? '' : `${base}/`}node_modules/${name}`)) return true;
    if (base === '') return false;
  }
}
