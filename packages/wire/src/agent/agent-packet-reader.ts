import { WireError } from "../errors.ts";
import { Agent, EmitBatchArguments } from "../gen/thrift/agent.ts";
import { Batch, Process } from "../gen/tracing/api_v2/model.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { BinaryCursor } from "../thrift/binary-cursor.ts";
import { CompactCursor } from "../thrift/compact-cursor.ts";
import { readZipkinBatchArguments } from "../thrift/decode-zipkin-spans.ts";
import { messageTypes, type ThriftProtocol } from "../thrift/message-envelope.ts";
import { malformed, type ThriftCursor } from "../thrift/thrift-cursor.ts";
import { thriftTypes } from "../thrift/thrift-descriptors.ts";
import { ThriftToApiV2 } from "../thrift/thrift-to-api-v2.ts";
import { zipkinCoreSpansToApiV2 } from "../zipkin/zipkin-core-spans-to-api-v2.ts";
import type { AgentBatch, AgentClientStats } from "./agent-batch.ts";

/** Default of the largest packet. Clients send smaller packets; Jaeger has the same default. */
export const defaultMaxPacketBytes = 65_000;

const noneRejected = new RejectedSpans();
const noBytes = Buffer.alloc(0);
const emitBatch = Buffer.from(Agent.emitBatch.name);
const emitZipkinBatch = Buffer.from(Agent.emitZipkinBatch.name);
const { batch: batchField } = EmitBatchArguments.fields;

export interface AgentPacketReaderOptions {
  /** Size limit of a packet in bytes. Default: 65,000. */
  readonly maxPacketBytes?: number;
}

/**
 * Reads UDP packets of clients: messages `Agent.emitBatch` or `Agent.emitZipkinBatch`, sent as CALL or ONEWAY, in the
 * strict or the old binary protocol. Spans become `api_v2` protobuf without an object for each span.
 *
 * A reader reads one packet at a time; its spans are valid until the next packet.
 */
export class AgentPacketReader {
  readonly #maxPacketBytes: number;
  readonly #cursor: ThriftCursor;
  readonly #batch: ThriftToApiV2;
  /** Number of spans in the last packet that the reader rejected, and the reasons. */
  rejected = noneRejected;

  constructor(protocol: ThriftProtocol, options: AgentPacketReaderOptions = {}) {
    this.#maxPacketBytes = options.maxPacketBytes ?? defaultMaxPacketBytes;
    this.#cursor = protocol === "compact" ? new CompactCursor() : new BinaryCursor();
    this.#batch = new ThriftToApiV2(this.#cursor);
  }

  /**
   * @param packet its bytes are not kept after the call; bytes after the message are ignored
   * @returns one batch for `emitBatch`; for `emitZipkinBatch` one batch for each process; `rejected` has the reasons
   * for missing spans
   * @throws WireError WIRE_TOO_LARGE; WIRE_TRUNCATED; WIRE_TOO_DEEP (64 levels); WIRE_MALFORMED, also for messages of
   * other methods. When all spans are rejected, the error is the reason for the first span
   */
  read(packet: Uint8Array): readonly AgentBatch[] {
    if (packet.length > this.#maxPacketBytes) {
      throw new WireError(
        "WIRE_TOO_LARGE",
        `packet of ${packet.length} bytes is over maxPacketBytes ${this.#maxPacketBytes}`,
      );
    }
    this.rejected = noneRejected;
    const cursor = this.#cursor;
    cursor.open(packet);
    const type = cursor.message();
    const { bytes, start, stop } = cursor;
    if (type !== messageTypes.call && type !== messageTypes.oneway) {
      throw malformed(`message type ${type} is neither CALL nor ONEWAY`);
    }
    if (emitBatch.compare(bytes, start, stop) === 0) {
      cursor.readEitherWay(this.#readArguments, lossOf);
      return [this.#takeBatch()];
    }
    if (emitZipkinBatch.compare(bytes, start, stop) === 0) {
      const rejected = new RejectedSpans();
      const batches = zipkinCoreSpansToApiV2(readZipkinBatchArguments(cursor, rejected), rejected);
      rejected.refuseNothing(batches.length);
      this.rejected = rejected;
      return batches.map(encodedBatch);
    }
    const method = bytes.toString("utf8", start, Math.min(stop, start + 64));
    throw malformed(`unknown method ${JSON.stringify(method)}`);
  }

  /** Reads the arguments of `emitBatch`. */
  readonly #readArguments = (): RejectedSpans => {
    const cursor = this.#cursor;
    const batch = this.#batch;
    let hasBatch = false;
    for (let id = 0; cursor.field(id); ) {
      id = cursor.fieldId;
      if (id === batchField.id) {
        if (!cursor.has(thriftTypes.struct, batchField)) {
          continue;
        }
        if (hasBatch) {
          throw malformed(`${batchField.label} comes twice`);
        }
        hasBatch = true;
        batch.readBatch();
      } else {
        cursor.skipField();
      }
    }
    if (!hasBatch) {
      throw malformed(`${batchField.label} is required and missing`);
    }
    return batch.rejected;
  };

  #takeBatch(): AgentBatch {
    const batch = this.#batch;
    batch.rejected.refuseNothing(batch.spanCount);
    this.rejected = batch.rejected;
    return {
      process: batch.process,
      spans: batch.spans.buffer.subarray(0, batch.spans.length),
      spanCount: batch.spanCount,
      clientStats: this.#clientStats(),
    };
  }

  #clientStats(): AgentClientStats | undefined {
    const { losses, clientUuid, seqNo } = this.#batch;
    return losses === undefined || clientUuid === "" ? undefined : { clientUuid, seqNo, ...losses };
  }
}

function lossOf({ count }: RejectedSpans): number {
  return count;
}

function encodedBatch({ process, spans }: Batch): AgentBatch {
  return {
    process: process === undefined ? noBytes : Buffer.from(Process.encode(process).finish()),
    spans: Buffer.from(Batch.encode({ spans, process: undefined }).finish()),
    spanCount: spans.length,
  };
}
