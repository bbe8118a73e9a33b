import packageJson from '../package.json' with { type: 'json' };

/** This program's version, as published. */
export const version: string = packageJson.version;
