import { constants, createGzip, gzipSync } from "node:zlib";
import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { ContentEncoder } from "./content-encoder.ts";

/** Source: RFC 1952 */
export const gzipEncoder = defineModule({
  id: "http.encoders.gzip",
  config: z.strictObject({
    level: z.int().min(0).max(9).nullish().describe("0 (stored) or 1 (fastest) to 9 (smallest) (5)."),
  }),
  provision(config): ContentEncoder {
    const options = { level: config.level || 5 };
    return {
      name: "gzip",
      key: `gzip ${options.level}`,
      encode: (bytes) => gzipSync(bytes, options),
      createStream: () => createGzip(options),
      flushKind: constants.Z_SYNC_FLUSH,
    };
  },
});
