import { constants, createGzip, gzipSync } from "node:zlib";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { ContentEncoder } from "./content-encoder.ts";

/** Source: RFC 1952 */
export const gzipEncoder = defineModule({
  id: "http.encoders.gzip",
  config: z.strictObject({
    level: z
      .int()
      .min(-3)
      .max(9)
      .nullish()
      .describe("1 (fastest) to 9 (smallest) (5). -1 stands for 6, -2 for Huffman codes alone, -3 for 1."),
  }),
  provision(config): ContentEncoder {
    const level = config.level || 5;
    const options =
      level === -2 ? { level: 1, strategy: constants.Z_HUFFMAN_ONLY } : { level: level === -3 ? 1 : level };
    return {
      name: "gzip",
      key: `gzip ${level}`,
      encode: (bytes) => gzipSync(bytes, options),
      createStream: () => createGzip(options),
      flushKind: constants.Z_SYNC_FLUSH,
    };
  },
});
