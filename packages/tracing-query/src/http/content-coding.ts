import type { Transform } from "node:stream";
import { constants, createDeflate, createGzip, createZstdCompress } from "node:zlib";

/** How a body is compressed. */
export type ContentCoding = "zstd" | "gzip" | "deflate";

/** The best for its processor time first. */
const offered: readonly ContentCoding[] = ["zstd", "gzip", "deflate"];

/**
 * The coding that a client likes best; of those it likes alike, the one that costs least.
 * @param accepted the header `Accept-Encoding`
 * @returns undefined: as it is
 * Source: RFC 9110, 12.5.3
 */
export function chooseCoding(accepted: string | undefined): ContentCoding | undefined {
  const weights = new Map<string, number>();
  for (const part of (accepted ?? "").split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    if (name !== "") {
      weights.set(name === "x-gzip" ? "gzip" : name, weight === undefined ? 1 : Number(weight) || 0);
    }
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  let best: ContentCoding | undefined;
  for (const coding of offered) {
    if (weightOf(coding) > (best === undefined ? 0 : weightOf(best))) {
      best = coding;
    }
  }
  // Only who says so wants a body as it is more than compressed.
  return best !== undefined && (weights.get("identity") ?? 0) > weightOf(best) ? undefined : best;
}

/** A stream that can be told to send what it holds. */
export type Compressor = Transform & { flush(): void };

/** A compressor at its cheapest level: traces are large and alike, which already makes them a tenth. */
export function compressorOf(coding: ContentCoding): Compressor {
  switch (coding) {
    case "zstd":
      return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    case "gzip":
      return createGzip({ level: 1 });
    case "deflate":
      return createDeflate({ level: 1 });
  }
}
