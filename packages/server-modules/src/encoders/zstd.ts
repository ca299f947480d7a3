import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { ContentEncoder } from "./content-encoder.ts";

/** Maps the level names of Caddy to levels of the library. */
const levels = { fastest: 1, default: 3, better: 7, best: 11 } as const;

/** Window of 128 KiB, as in Caddy. Clients must accept up to 8 MiB, but a small window saves them memory. */
const windowLog = 17;

/** Source: RFC 8878 */
export const zstdEncoder = defineModule({
  id: "http.encoders.zstd",
  config: z.strictObject({
    level: z
      .enum(["", "fastest", "default", "better", "best"])
      .nullish()
      .describe("From fastest to smallest (default)."),
    checksum: z.boolean().nullish().describe("Whether frames end with a checksum (true)."),
  }),
  provision(config): ContentEncoder {
    const level = levels[config.level || "default"];
    const checksum = config.checksum === false ? 0 : 1;
    const options = {
      params: {
        [constants.ZSTD_c_compressionLevel]: level,
        [constants.ZSTD_c_windowLog]: windowLog,
        [constants.ZSTD_c_checksumFlag]: checksum,
      },
    };
    return {
      name: "zstd",
      key: `zstd ${level} ${checksum}`,
      encode: (bytes) => zstdCompressSync(bytes, options),
      createStream: () => createZstdCompress(options),
    };
  },
});
