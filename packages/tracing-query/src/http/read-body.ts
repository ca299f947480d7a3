import type { IncomingMessage } from "node:http";
import { acceptedEncodings, decompress, isKnownEncoding } from "wire/compression/decompress";
import { WireError } from "wire/errors";
import { QueryError } from "../query-error.ts";

/** A limit of request bodies. */
export interface BodyLimit {
  /** Name of the option that sets the limit; undefined for a fixed limit. */
  readonly name?: string;
  /** Bytes that the body may have, both compressed and decompressed. */
  readonly bytes: number;
}

/** Reads the whole body of a request. @throws QueryError QUERY_TOO_LARGE, QUERY_UNREADABLE */
export type BodyReader = (request: IncomingMessage, limit: BodyLimit) => Promise<Buffer>;

/**
 * Reads the whole body of a request and decompresses it. Uploaded files may have the same encodings as spans.
 * @throws QueryError QUERY_TOO_LARGE for the compressed size (the rest is not read) or the decompressed size;
 * QUERY_UNREADABLE for another encoding or invalid bytes
 */
export async function readBody(request: IncomingMessage, { name, bytes }: BodyLimit): Promise<Buffer> {
  const tooLarge = () =>
    new QueryError(
      "QUERY_TOO_LARGE",
      `the body is over the limit of ${bytes} bytes${name === undefined ? "" : ` of --${name}`}`,
      { parameter: "body", limit: { name: name ?? "maxLength", value: bytes } },
    );
  if (Number(request.headers["content-length"] ?? 0) > bytes) {
    throw tooLarge();
  }
  const encoding = (request.headers["content-encoding"] ?? "").trim().toLowerCase();
  if (!isKnownEncoding(encoding)) {
    throw new QueryError(
      "QUERY_UNREADABLE",
      `unsupported Content-Encoding ${JSON.stringify(encoding)}: known are ${acceptedEncodings}`,
      { parameter: "Content-Encoding" },
    );
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytes) {
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  try {
    return decompress(Buffer.concat(chunks, length), encoding, bytes);
  } catch (cause) {
    if (cause instanceof WireError) {
      throw cause.code === "WIRE_TOO_LARGE"
        ? tooLarge()
        : new QueryError("QUERY_UNREADABLE", `the body is not ${encoding}: ${cause.message}`, { cause });
    }
    throw cause;
  }
}
