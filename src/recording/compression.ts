import { promisify } from 'node:util';
import { constants, createZstdCompress, zstdDecompress } from 'node:zlib';

const decompressed = promisify(zstdDecompress);

/** Compresses one piece after the other. Each is better compressed for those before, and is read only with them. */
export interface Compressor {
  /** Returns the bytes of a piece, and what is left of those before. */
  add(piece: Uint8Array): Promise<Buffer>;
  close(): void;
}

export function createCompressor(): Compressor {
  const stream = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 6 } });
  let chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    add(piece) {
      return new Promise((resolve, reject) => {
        stream.once('error', reject);
        stream.write(piece);
        stream.flush(constants.ZSTD_e_flush, () => {
          stream.off('error', reject);
          resolve(Buffer.concat(chunks));
          chunks = [];
        });
      });
    },
    close() {
      stream.destroy();
    },
  };
}

/** Damaged bytes must not take all memory. */
const maxBytes = 2 ** 30;

/** Returns the pieces of a `Compressor`, from the first one on. */
export const decompress = (bytes: Uint8Array): Promise<Buffer> =>
  decompressed(bytes, { finishFlush: constants.ZSTD_e_flush, maxOutputLength: maxBytes });
