'use strict';
// Must run on any Node: ES5 only, no imports.

/** Ends the process with one sentence when this Node cannot run the project's tools. */
var parts = process.versions.node.split('.');
var major = Number(parts[0]);
var minor = Number(parts[1]);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    'This project needs Node 22.19 or newer, and this is Node ' +
      process.versions.node +
      '. Run "npm ci --include=optional", which installs Node 22, and use the npm scripts.\n',
  );
  process.exit(2);
}
