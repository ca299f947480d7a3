import { status } from "@grpc/grpc-js";
import { encodeHeaders, type HeaderField } from "http-protocols/http2";

export interface GrpcFailure {
  /** A number of `status`. */
  readonly code: status;
  readonly details: string;
  /** `google.rpc.Status` as protobuf, for `grpc-status-details-bin`. */
  readonly statusDetails?: Uint8Array;
}

const contentType: HeaderField = { name: "content-type", value: "application/grpc" };
const ok: HeaderField = { name: ":status", value: "200" };
export const acceptEncoding: HeaderField = {
  name: "grpc-accept-encoding",
  value: "identity,deflate,gzip,zstd",
};

/** The header block before a message. */
export const responseHeaders: Buffer = encodeHeaders([ok, contentType, acceptEncoding]);

/** The header block after a message. */
export const okTrailers: Buffer = encodeHeaders([{ name: "grpc-status", value: String(status.OK) }]);

/** The only header block of an answer without a message ("Trailers-Only"). */
export function failureHeaders({ code, details, statusDetails }: GrpcFailure): Buffer {
  const fields: HeaderField[] = [
    ok,
    contentType,
    acceptEncoding,
    { name: "grpc-status", value: String(code) },
    { name: "grpc-message", value: percentEncoded(details) },
  ];
  if (statusDetails !== undefined && statusDetails.length <= maxStatusDetailsBytes) {
    const base64 = Buffer.from(statusDetails).toString("base64").replaceAll("=", "");
    fields.push({ name: "grpc-status-details-bin", value: base64 });
  }
  return encodeHeaders(fields);
}

/**
 * Maximum number of characters of an error message; the rest is cut off. Together with the next limit, the whole header
 * block fits into one frame.
 */
const maxDetailsLength = 1_024;
const maxStatusDetailsBytes = 2_048;

/** Source: gRPC over HTTP2, "Responses": UTF-8 bytes outside of space to `~`, and `%`, are escaped. */
function percentEncoded(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text.slice(0, maxDetailsLength))) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}
