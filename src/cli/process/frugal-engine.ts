import { setFlagsFromString } from 'node:v8';

/** What the program brings itself. Another engine may not know the flags, and would say so on the screen. */
const triedVersion = '22';

/**
 * Has the engine collect earlier and compile less, once the first frame is drawn: 30 MB less with 100,000 clients. It
 * costs a third more of the processor's time while such a list is read, and nothing that can be seen otherwise.
 */
export function makeEngineFrugal(): void {
  if (process.versions.node.split('.')[0] !== triedVersion) return;
  // The parser of HTTP is WebAssembly: to compile it for the last bit of speed takes 16 MB, which stay taken.
  setFlagsFromString('--liftoff-only');
  // The space for new objects stays as large as the first frame needs it; a page of a list would have it grow to 32 MB.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=30');
}
