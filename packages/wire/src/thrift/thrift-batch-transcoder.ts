import { ApiV2Transcoder } from "../api-v2/api-v2-transcoder.ts";
import { WireError } from "../errors.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import type { RejectedSpans } from "../rows/rejected-spans.ts";
import { BinaryCursor } from "./binary-cursor.ts";
import { explainBinaryError } from "./explain-binary-error.ts";
import { ThriftToApiV2 } from "./thrift-to-api-v2.ts";

/** Bytes of the tag and the length before a batch in a `PostSpansRequest`. The length always uses five bytes. */
const headerBytes = 6;

/**
 * Converts a Thrift struct `Batch` in the binary protocol, which old clients send over HTTP, to rows of the format
 * "jaeger". The conversion has `api_v2` protobuf as an intermediate step, so that both formats follow the same rules.
 * It makes no object for each span.
 *
 * A transcoder handles one message at a time and reuses its buffers.
 */
export class ThriftBatchTranscoder implements MessageTranscoder {
  readonly #cursor = new BinaryCursor();
  readonly #batch: ThriftToApiV2;
  readonly #rows: ApiV2Transcoder;
  readonly #read = (): RejectedSpans => {
    this.#batch.readBatch();
    return this.#batch.rejected;
  };

  constructor(options: TranscoderOptions = {}) {
    this.#batch = new ThriftToApiV2(this.#cursor, options.maxRowsBytes, headerBytes);
    this.#rows = new ApiV2Transcoder({ ...options, format: "jaeger" });
  }

  /**
   * @param message the struct; bytes after it are ignored, as in Jaeger
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError for an invalid message; then no span of the message is kept. WIRE_TRUNCATED, WIRE_MALFORMED,
   * WIRE_TOO_DEEP (64 levels of skipped values); if Jaeger refuses the message too, the error has its text.
   * WIRE_TOO_LARGE as in `ApiV2Transcoder`
   */
  transcode(message: Uint8Array, tenant = ""): TranscodeResult {
    this.#readBatch(message);
    const { spans, process } = this.#batch;
    // The process follows the spans.
    spans.uint8(0x12);
    spans.varint(process.length);
    spans.copy(process, 0, process.length);
    const { buffer, length } = spans;
    buffer[0] = 0x0a;
    let rest = length - headerBytes;
    for (let index = 1; index < headerBytes - 1; index++) {
      buffer[index] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[headerBytes - 1] = rest;
    const { rejected } = this.#batch;
    const outcome = this.#rows.transcode(buffer.subarray(0, length), tenant);
    if (rejected.count === 0) {
      return outcome;
    }
    rejected.refuseNothing(outcome.rows.count);
    return {
      rows: outcome.rows,
      rejectedSpans: outcome.rejectedSpans + rejected.count,
      errorMessage: [outcome.errorMessage, rejected.errorMessage].filter((text) => text !== "").join("; "),
    };
  }

  #readBatch(message: Uint8Array): void {
    this.#cursor.open(message);
    try {
      this.#cursor.readEitherWay(this.#read, lossOf);
    } catch (cause) {
      if (!(cause instanceof WireError) || cause.code === "WIRE_TOO_LARGE") {
        throw cause;
      }
      throw new WireError(cause.code, explainBinaryError(this.#cursor.bytes) ?? cause.message, { cause });
    }
  }
}

function lossOf({ count }: RejectedSpans): number {
  return count;
}
