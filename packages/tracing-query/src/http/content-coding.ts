import type { Transform } from "node:stream";
import { constants, createDeflate, createGzip, createZstdCompress } from "node:zlib";

/** The algorithm that compresses a body. */
export type ContentCoding = "zstd" | "gzip" | "deflate";

/** Codings ordered by compression per processor time, best first. */
const offered: readonly ContentCoding[] = ["zstd", "gzip", "deflate"];

/**
 * Chooses the coding that the client prefers; of equal preferences, the first in `offered`.
 * @param accepted value of the header `Accept-Encoding`
 * @returns undefined when the body is sent uncompressed. Source: RFC 9110, 12.5.3
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
  // A coding that the client accepts is used, unless the client explicitly prefers `identity`.
  return best !== undefined && (weights.get("identity") ?? 0) > weightOf(best) ? undefined : best;
}

/** A stream that sends its buffered data on `flush`. */
export type Compressor = Transform & { flush(): void };

/**
 * Creates a compressor at its cheapest level. Traces are repetitive, so even this level shrinks them to a tenth.
 */
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
