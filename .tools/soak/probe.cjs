'use strict';
// Loaded into the measured programs: writes figures that only the process itself knows, for `.tools/soak.ts`.
const { writeFileSync } = require('node:fs');
const path = require('node:path');

const folder = process.env.BROKERTOP_SOAK_FOLDER;
const everyMs = 5_000;

if (folder !== undefined) {
  setInterval(() => {
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    writeFileSync(
      path.join(folder, String(process.pid)),
      JSON.stringify({ heapUsed, heapTotal, external, handles: process.getActiveResourcesInfo().length }),
    );
  }, everyMs).unref();
}
