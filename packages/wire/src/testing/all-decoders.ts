// For tests: every decoder of spans by its name, with a valid message.
import { AgentPacketReader } from "../agent/agent-packet-reader.ts";
import { ApiV2Transcoder } from "../api-v2/api-v2-transcoder.ts";
import type { Batch as ThriftBatch } from "../gen/thrift/tracing.ts";
import type { Span as ZipkinCoreSpan } from "../gen/thrift/zipkincore.ts";
import { PostSpansRequest } from "../gen/tracing/api_v2/collector.ts";
import type { Span } from "../gen/tracing/api_v2/model.ts";
import { WriteSpanRequest } from "../gen/tracing/storage/v1/storage.ts";
import { OtlpJsonTranscoder } from "../otlp/otlp-json-transcoder.ts";
import { OtlpTranscoder } from "../otlp/otlp-transcoder.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { WriteSpanTranscoder } from "../storage-v1/write-span-transcoder.ts";
import { ThriftBatchTranscoder } from "../thrift/thrift-batch-transcoder.ts";
import { ZipkinV1JsonTranscoder } from "../zipkin/zipkin-v1-json-transcoder.ts";
import { ZipkinV1ThriftTranscoder } from "../zipkin/zipkin-v1-thrift-transcoder.ts";
import { ZipkinV2JsonTranscoder } from "../zipkin/zipkin-v2-json-transcoder.ts";
import { ZipkinV2ProtoTranscoder } from "../zipkin/zipkin-v2-proto-transcoder.ts";
import { encodeAgentPacket, encodeThriftBatch } from "./encode-agent-packet.ts";
import { ids, protoMessage, requestOf } from "./proto-fields.ts";
import { zipkinPacket, zipkinSpanList } from "./zipkin-thrift-messages.ts";

/** Decodes a message and returns a copy of the result. */
export type Read = (message: Uint8Array) => Buffer;

export interface Decoder {
  /**
   * @param maxBytes size limit, of the packet for agent packets, of the rows for all other messages; default: the usual
   * limit
   */
  readonly open: (maxBytes?: number) => Read;
  /** A message with one span whose name is `name`. */
  readonly good: (name?: string) => Buffer;
}

interface Limited {
  readonly maxRowsBytes?: number;
  /** Time that replaces a missing time of a span. */
  readonly nowUnixNano?: () => bigint;
}

function rowsBy(make: (options: Limited) => MessageTranscoder): Decoder["open"] {
  return (maxRowsBytes) => {
    const transcoder = make({
      nowUnixNano: () => 1n,
      ...(maxRowsBytes === undefined ? {} : { maxRowsBytes }),
    });
    return (message) => Buffer.from(transcoder.transcode(message).rows.bytes);
  };
}

function batchesBy(protocol: "compact" | "binary"): Decoder["open"] {
  return (maxPacketBytes) => {
    const reader = new AgentPacketReader(protocol, maxPacketBytes === undefined ? {} : { maxPacketBytes });
    return (packet) => Buffer.concat(reader.read(packet).flatMap(({ process, spans }) => [process, spans]));
  };
}

const one = { high: 0, low: 1 };
const thriftBatch = (operationName: string): ThriftBatch => ({
  process: { serviceName: "shop", tags: [] },
  spans: [
    {
      traceIdLow: one,
      traceIdHigh: one,
      spanId: one,
      parentSpanId: { high: 0, low: 0 },
      operationName,
      flags: 1,
      startTime: one,
      duration: one,
      tags: [],
    },
  ],
});

const zipkinSpans = (name: string): readonly ZipkinCoreSpan[] => [
  {
    traceId: 1n,
    traceIdHigh: 0n,
    name,
    id: 1n,
    parentId: undefined,
    annotations: [
      {
        timestamp: 1n,
        value: "sr",
        host: { ipv4: 1, port: 1, serviceName: "shop", ipv6: undefined },
      },
    ],
    binaryAnnotations: [],
    debug: false,
    timestamp: 1n,
    duration: 1n,
  },
];

const apiV2Span = (operationName: string): Span => ({
  traceId: Buffer.alloc(16, 1),
  spanId: Buffer.alloc(8, 1),
  operationName,
  references: [],
  flags: 1,
  startTime: { seconds: 1n, nanos: 0 },
  duration: { seconds: 0n, nanos: 1 },
  tags: [],
  logs: [],
  process: { serviceName: "shop", tags: [] },
  processId: "",
  warnings: [],
});

const zipkinIds = '"traceId":"00000000000000a1","id":"00000000000000b1"';

export const decoders = {
  "OTLP protobuf": {
    open: rowsBy((options) => new OtlpTranscoder(options)),
    good: (name = "get") => Buffer.from(requestOf(...ids, [5, "bytes", name])),
  },
  "OTLP JSON": {
    open: rowsBy((options) => new OtlpJsonTranscoder(options)),
    good: (name = "get") =>
      Buffer.from(
        `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${"01".repeat(16)}","spanId":"${"01".repeat(8)}","name":"${name}"}]}]}]}`,
      ),
  },
  PostSpans: {
    open: rowsBy((options) => new ApiV2Transcoder(options)),
    good: (name = "get") =>
      Buffer.from(
        PostSpansRequest.encode({ batch: { spans: [apiV2Span(name)], process: undefined } }).finish(),
      ),
  },
  WriteSpan: {
    open: rowsBy((options) => new WriteSpanTranscoder(options)),
    good: (name = "get") => Buffer.from(WriteSpanRequest.encode({ span: apiV2Span(name) }).finish()),
  },
  "Thrift over HTTP": {
    open: rowsBy((options) => new ThriftBatchTranscoder(options)),
    good: (name = "get") => encodeThriftBatch(thriftBatch(name), "binary"),
  },
  "agent, compact": {
    open: batchesBy("compact"),
    good: (name = "get") => encodeAgentPacket(thriftBatch(name), "compact"),
  },
  "agent, binary": {
    open: batchesBy("binary"),
    good: (name = "get") => encodeAgentPacket(thriftBatch(name), "binary"),
  },
  "agent, Zipkin in compact": {
    open: batchesBy("compact"),
    good: (name = "get") => zipkinPacket(zipkinSpans(name), "compact"),
  },
  "agent, Zipkin in binary": {
    open: batchesBy("binary"),
    good: (name = "get") => zipkinPacket(zipkinSpans(name), "binary"),
  },
  "Zipkin v1 JSON": {
    open: rowsBy((options) => new ZipkinV1JsonTranscoder(options)),
    good: (name = "get") => Buffer.from(`[{${zipkinIds},"name":"${name}"}]`),
  },
  "Zipkin v1 Thrift": {
    open: rowsBy((options) => new ZipkinV1ThriftTranscoder(options)),
    good: (name = "get") => zipkinSpanList(zipkinSpans(name)),
  },
  "Zipkin v2 JSON": {
    open: rowsBy((options) => new ZipkinV2JsonTranscoder(options)),
    good: (name = "get") => Buffer.from(`[{${zipkinIds},"name":"${name}"}]`),
  },
  "Zipkin v2 protobuf": {
    open: rowsBy((options) => new ZipkinV2ProtoTranscoder(options)),
    good: (name = "get") =>
      Buffer.from(
        protoMessage([
          1,
          "bytes",
          [
            [1, "bytes", Buffer.alloc(16, 1)],
            [3, "bytes", Buffer.alloc(8, 1)],
            [5, "bytes", name],
          ],
        ]),
      ),
  },
} as const satisfies Record<string, Decoder>;

export type DecoderName = keyof typeof decoders;
