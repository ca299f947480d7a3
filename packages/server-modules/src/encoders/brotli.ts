import { brotliCompressSync, constants, createBrotliCompress } from "node:zlib";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { ContentEncoder } from "./content-encoder.ts";

/** Default quality. Above 4 the compression time grows much faster than the size shrinks. */
const defaultQuality = 4;
/** Default window: 256 KiB of memory for each response that is being compressed. */
const defaultWindowLog = 18;

/** An addition to Caddy, which serves Brotli only from files that are already compressed. Source: RFC 7932 */
export const brotliEncoder = defineModule({
  id: "http.encoders.br",
  config: z.strictObject({
    quality: z.int().min(0).max(11).nullish().describe("0 (fastest) to 11 (smallest) (4)."),
    lgwin: z.int().min(10).max(24).nullish().describe("Size of the window as a power of two (18)."),
  }),
  provision(config): ContentEncoder {
    const quality = config.quality ?? defaultQuality;
    const windowLog = config.lgwin ?? defaultWindowLog;
    const options = {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_LGWIN]: windowLog,
      },
    };
    return {
      name: "br",
      key: `br ${quality} ${windowLog}`,
      encode: (bytes) => brotliCompressSync(bytes, options),
      createStream: () => createBrotliCompress(options),
    };
  },
});
