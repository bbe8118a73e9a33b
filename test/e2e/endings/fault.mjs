// Loaded into the program before its own code (`--import`): on SIGUSR2 something goes wrong in it.
const message = 'fault \u001b[31mfrom\u0007 outside';

let isTearing = false;
const { write } = process.stdout;
if (process.env.FAULT === 'teardown') {
  // What the screen is taken down with. Once: the last resort has to get through.
  process.stdout.write = function failInTeardown(...args) {
    if (isTearing && new Error().stack.includes('unmount')) {
      isTearing = false;
      throw new Error(message);
    }
    return write.apply(this, args);
  };
}

const faults = {
  teardown: () => {
    isTearing = true;
    process.kill(process.pid, 'SIGTERM');
  },
  exception: () =>
    setImmediate(() => {
      throw new Error(message);
    }),
  leak: () =>
    setImmediate(() => {
      throw new Error(process.env.LEAK);
    }),
  // As when whatever shows the terminal has gone without a signal.
  epipe: () => process.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  abort: () => process.abort(),
  // Until the engine gives up, with --max-old-space-size.
  heap: () => {
    for (const kept of [[]]) for (;;) kept.push(Array.from({ length: 1_000 }, () => ({})));
  },
  rejection: () => void Promise.reject(new Error(message)),
  // Every line is filled with spaces while it is rendered. Not once: React tries again.
  render: () => {
    const { repeat } = String.prototype;
    // oxlint-disable-next-line no-extend-native -- that it is broken is what is tried
    String.prototype.repeat = function failForSpaces(count) {
      if (String(this) === ' ') throw new Error(message);
      return repeat.call(this, count);
    };
    process.stdout.write('\u001b]2;armed\u0007');
  },
};

process.on('SIGUSR2', () => faults[process.env.FAULT]());
