// The beginning of an HTTP/2 connection, in bytes:
//
// | offset | bytes | meaning |
// |---|---|---|
// | 0 | 24 | client preface: `PRI * HTTP/2.0`, an empty line, `SM`, an empty line |
// | 24 | 9 | head of the first frame: length (3), type (1), flags (1), stream (4) |
// | 33 | length | its payload, then the next frame |

import {
  clientPreface,
  decodeHeaderBlock,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
  HpackDecoder,
} from "http-protocols/http2";
import { maxMatchingBytes } from "../connection/connection.ts";
import type { FirstRequest } from "./peeked-stream.ts";

/**
 * Maximum number of frames up to the end of the first request's headers, including the frames of these headers. A
 * connection with more does not match. Source: caddy-l4
 */
const maxFrames = 10;

/**
 * The header block of a HEADERS frame, without padding and priority. @returns undefined when the padding is longer than
 * the frame
 */
function headerBlock(flags: number, payload: Buffer): Buffer | undefined {
  const padding = (flags & frameFlags.padded) === 0 ? 0 : 1 + (payload[0] ?? 0);
  const start = ((flags & frameFlags.padded) === 0 ? 0 : 1) + ((flags & frameFlags.priority) === 0 ? 0 : 5);
  const end = payload.length - (padding === 0 ? 0 : padding - 1);
  return start <= end ? payload.subarray(start, end) : undefined;
}

/**
 * Decodes a header block with a new HPACK table, which is correct for the first request of a connection.
 * @returns "none" without `:method` or `:path`, and for a block that cannot be decoded
 */
function requestOf(block: Buffer): FirstRequest | "none" {
  try {
    const fields = decodeHeaderBlock(new HpackDecoder({ maxListBytes: maxMatchingBytes }), block);
    if (fields === undefined) {
      return "none";
    }
    const pseudo = new Map<string, string>();
    const headers: string[] = [];
    for (const { name, value } of fields) {
      if (name.startsWith(":")) {
        pseudo.set(name, value);
      } else {
        headers.push(name, value);
      }
    }
    const [method, target] = [pseudo.get(":method"), pseudo.get(":path")];
    if (method === undefined || target === undefined) {
      return "none";
    }
    return { method, target, version: "2.0", authority: pseudo.get(":authority") ?? "", headers };
  } catch {
    return "none";
  }
}

/**
 * Parses the first request of HTTP/2 with prior knowledge.
 * @returns undefined while the request is incomplete, "none" for another protocol
 * Source: RFC 9113, sections 3.4, 4.1 and 6.2
 */
export function readHttp2Request(bytes: Buffer): FirstRequest | "none" | undefined {
  if (bytes.length < clientPreface.length) {
    return undefined;
  }
  if (bytes.compare(clientPreface, 0, clientPreface.length, 0, clientPreface.length) !== 0) {
    return "none";
  }
  const fragments: Buffer[] = [];
  let at = clientPreface.length;
  for (let count = 0; count < maxFrames; count++) {
    if (bytes.length < at + frameHeaderBytes) {
      return undefined;
    }
    const [length, type, flags] = [bytes.readUIntBE(at, 3), bytes[at + 3], bytes[at + 4] as number];
    const end = at + frameHeaderBytes + length;
    if (bytes.length < end) {
      return undefined;
    }
    const payload = bytes.subarray(at + frameHeaderBytes, end);
    if (type === frameTypes.headers || (type === frameTypes.continuation && fragments.length > 0)) {
      const fragment = type === frameTypes.headers ? headerBlock(flags, payload) : payload;
      if (fragment === undefined) {
        return "none";
      }
      fragments.push(fragment);
      if ((flags & frameFlags.endHeaders) !== 0) {
        return requestOf(Buffer.concat(fragments));
      }
    }
    at = end;
  }
  return "none";
}
