import { ApiV2Transcoder } from "../api-v2/api-v2-transcoder.ts";
import { WireError } from "../errors.ts";
import { WriteSpanRequest } from "../gen/tracing/storage/v1/storage.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";

/** Bytes reserved before the request: a tag and the longest length. */
const headBytes = 6;

/** Tag of field 1, a message: `batch` in PostSpansRequest, and `span` in WriteSpanRequest. */
const tag = 0x0a;

/**
 * Converts a `WriteSpanRequest` to one row. Its bytes equal the bytes of a batch with one span and without a process,
 * so it is read as such a batch. The row has format `proto`. All tags stay, including the format tag that a collector
 * appended.
 */
export class WriteSpanTranscoder implements MessageTranscoder {
  readonly #batches: ApiV2Transcoder;
  #request = Buffer.alloc(4_096);

  constructor(options: TranscoderOptions = {}) {
    this.#batches = new ApiV2Transcoder({ ...options, format: "proto" });
  }

  /**
   * @param request a `WriteSpanRequest`; the caller limits its size
   * @throws WireError as `ApiV2Transcoder`, and WIRE_MALFORMED for a request without a span
   */
  transcode(request: Uint8Array, tenant = ""): TranscodeResult {
    return this.#batches.transcode(
      this.#asPostSpans(hasOneField(request) ? request : rewritten(request)),
      tenant,
    );
  }

  #asPostSpans(batch: Uint8Array): Uint8Array {
    const size = headBytes + batch.length;
    if (this.#request.length < size) {
      this.#request = Buffer.alloc(2 * size);
    }
    const bytes = this.#request;
    bytes[0] = tag;
    let at = 1;
    let rest = batch.length;
    for (; rest >= 0x80; rest >>>= 7) {
      bytes[at++] = (rest & 0x7f) | 0x80;
    }
    bytes[at++] = rest;
    bytes.set(batch, at);
    return bytes.subarray(0, at + batch.length);
  }
}

/** True when the request consists of only its span, which is how all known clients write it. */
function hasOneField(request: Uint8Array): boolean {
  if (request[0] !== tag) {
    return false;
  }
  let length = 0;
  let at = 1;
  for (let factor = 1; at < headBytes && at < request.length; factor *= 0x80) {
    const byte = request[at++] as number;
    length += (byte & 0x7f) * factor;
    if (byte < 0x80) {
      return at + length === request.length;
    }
  }
  return false;
}

/** Encodes the request again, without unknown fields, and with its span as a single field. */
function rewritten(request: Uint8Array): Uint8Array {
  let span: WriteSpanRequest["span"];
  try {
    ({ span } = WriteSpanRequest.decode(request));
  } catch (error) {
    throw new WireError("WIRE_MALFORMED", `request is not a WriteSpanRequest: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (span === undefined) {
    throw new WireError("WIRE_MALFORMED", "request has no span");
  }
  return WriteSpanRequest.encode({ span }).finish();
}
