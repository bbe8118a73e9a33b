import { startSliced } from '../domain/sliced-task.ts';
import { type Compressor, createCompressor } from './compression.ts';
import { writeDifference } from './differences.ts';
import type { SampleTime } from './recording.ts';
import { ValueWriter } from './values.ts';

/** A sample as bytes: all of the state, or what changed since the sample before. */
export interface EncodedSample {
  readonly at: SampleTime;
  readonly isKeyframe: boolean;
  readonly bytes: Buffer;
}

/** States are written whole so often, which bounds how many differences are read to find one. */
const keyframeMs = 15 * 60_000;

/** A keyframe is also due where the differences have become many times as long. */
const maxDifferences = 8;
const minDifferenceBytes = 4 * 1_048_576;

/** The wall clock and the steady one are read one after the other. A larger difference is a clock that was set. */
const clockToleranceMs = 1_000;

export interface SampleEncoder {
  /** Encodes the next sample; one at a time. */
  encode(at: SampleTime, state: object): Promise<EncodedSample>;
  /** Writes the next state whole: somebody begins to read with it. */
  requestKeyframe(): void;
  close(): void;
}

export function createSampleEncoder(): SampleEncoder {
  let writer = new ValueWriter();
  let compressor: Compressor | undefined;
  let before: { readonly at: SampleTime; readonly state: object } | undefined;
  let keyframe = { at: 0, bytes: 0 };
  let written = 0;

  const needsKeyframe = (at: SampleTime): boolean =>
    before === undefined ||
    at.monotonicMs - keyframe.at >= keyframeMs ||
    written > Math.max(minDifferenceBytes, maxDifferences * keyframe.bytes) ||
    wasSet(before.at, at);

  async function encode(at: SampleTime, state: object): Promise<EncodedSample> {
    const isKeyframe = needsKeyframe(at);
    if (isKeyframe) {
      compressor?.close();
      compressor = createCompressor();
      writer = new ValueWriter();
      await sliced(writer.whole(state));
    } else writeDifference(writer, before?.state, state);
    const raw = writer.take();
    writer.rewind(0);
    if (isKeyframe) {
      keyframe = { at: at.monotonicMs, bytes: raw.length };
      written = 0;
    } else written += raw.length;
    before = { at, state };
    const bytes = await (compressor as Compressor).add(raw);
    return { at, isKeyframe, bytes };
  }

  return {
    async encode(at, state) {
      try {
        return await encode(at, state);
      } catch (error) {
        // Half of a sample may have been written.
        before = undefined;
        throw error;
      }
    },
    requestKeyframe() {
      before = undefined;
    },
    close() {
      compressor?.close();
      before = undefined;
    },
  };
}

const wasSet = (before: SampleTime, at: SampleTime): boolean =>
  at.wallMs < before.wallMs || Math.abs(at.wallMs - before.wallMs - (at.steadyMs - before.steadyMs)) > clockToleranceMs;

const sliced = (task: ReturnType<ValueWriter['whole']>): Promise<void> =>
  new Promise((resolve, reject) => {
    startSliced(
      (function* guarded() {
        try {
          yield* task;
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      })(),
      () => {},
    );
  });
