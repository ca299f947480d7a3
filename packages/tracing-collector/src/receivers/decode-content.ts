import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { decompressSnappy } from "wire/compression";
import { WireError } from "wire/errors";
import { HttpError } from "./http-error.ts";

/** Each in one piece on this thread: bounded by the limit, and cheaper for bodies of usual size than a thread's queue. */
const decoders: Readonly<
  Record<string, (body: Buffer, limits: { readonly maxOutputLength: number }) => Buffer>
> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  zlib: inflateSync,
  zstd: zstdDecompressSync,
  snappy: (body, { maxOutputLength }) => decompressSnappy(body, maxOutputLength),
};

/**
 * Undoes a `Content-Encoding`.
 * @param encoding value of the header; "" and "identity" leave the body as it is
 * @throws HttpError 400 for an unknown encoding or a broken body; 413 when the result is over `maxBytes`
 */
export function decodeContent(body: Buffer, encoding: string, maxBytes: number): Buffer {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return body;
  const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (decode === undefined) throw new HttpError(400, `unsupported Content-Encoding: ${encoding}`);
  try {
    return decode(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ERR_BUFFER_TOO_LARGE" || (cause instanceof WireError && cause.code === "WIRE_TOO_LARGE")) {
      throw new HttpError(413, `request body is over the limit of ${maxBytes} bytes when decompressed`, {
        cause,
      });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HttpError(400, `request body is not ${name}: ${reason}`, { cause });
  }
}
