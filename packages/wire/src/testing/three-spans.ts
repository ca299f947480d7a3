// For tests: messages of three spans "one", "bad" and "two"; the second span is faulty.
import { AgentPacketReader } from "../agent/agent-packet-reader.ts";
import { ApiV2Transcoder } from "../api-v2/api-v2-transcoder.ts";
import type { Batch as ThriftBatch } from "../gen/thrift/tracing.ts";
import type { Span as ZipkinCoreSpan } from "../gen/thrift/zipkincore.ts";
import { OtlpJsonTranscoder } from "../otlp/otlp-json-transcoder.ts";
import { OtlpTranscoder } from "../otlp/otlp-transcoder.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { ThriftBatchTranscoder } from "../thrift/thrift-batch-transcoder.ts";
import { ZipkinV1JsonTranscoder } from "../zipkin/zipkin-v1-json-transcoder.ts";
import { ZipkinV1ThriftTranscoder } from "../zipkin/zipkin-v1-thrift-transcoder.ts";
import { ZipkinV2JsonTranscoder } from "../zipkin/zipkin-v2-json-transcoder.ts";
import { ZipkinV2ProtoTranscoder } from "../zipkin/zipkin-v2-proto-transcoder.ts";
import { batchOfAgent } from "./batch-of-agent.ts";
import { encodeAgentPacket, encodeThriftBatch } from "./encode-agent-packet.ts";
import { ids, type ProtoField, protoMessage } from "./proto-fields.ts";
import { zipkinPacket, zipkinSpanList } from "./zipkin-thrift-messages.ts";

/** Result of a decoder for one message. */
export interface Outcome {
  readonly spans: readonly {
    readonly name: string;
    readonly text: string;
    readonly warnings: readonly string[];
  }[];
  readonly rejected: number;
  readonly why: string;
}

export type Take = (message: Uint8Array) => Outcome;

const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? String(part) : part));

/** @param maxRowsBytes size limit of all rows of a message; default: the usual limit */
export function takeBy(transcoder: MessageTranscoder): Take {
  return (message) => {
    const { rows, rejectedSpans, errorMessage } = transcoder.transcode(message);
    return {
      spans: readSpanRows(rows.bytes).map((span) => ({
        name: span.name,
        text: asText(span),
        warnings: span.warnings,
      })),
      rejected: rejectedSpans,
      why: errorMessage,
    };
  };
}

export function takeOfAgent(protocol: "compact" | "binary"): Take {
  const reader = new AgentPacketReader(protocol);
  return (packet) => {
    const spans = reader.read(packet).flatMap((batch) => batchOfAgent(batch).spans);
    return {
      spans: spans.map((span) => ({
        name: span.operationName,
        text: asText(span),
        warnings: span.warnings,
      })),
      rejected: reader.rejected.count,
      why: reader.rejected.errorMessage,
    };
  };
}

export const takes = {
  "OTLP protobuf": (maxRowsBytes?: number) => takeBy(new OtlpTranscoder(limited(maxRowsBytes))),
  "OTLP JSON": (maxRowsBytes?: number) => takeBy(new OtlpJsonTranscoder(limited(maxRowsBytes))),
  PostSpans: (maxRowsBytes?: number) => takeBy(new ApiV2Transcoder(limited(maxRowsBytes))),
  "Thrift over HTTP": (maxRowsBytes?: number) => takeBy(new ThriftBatchTranscoder(limited(maxRowsBytes))),
  "agent, compact": () => takeOfAgent("compact"),
  "agent, binary": () => takeOfAgent("binary"),
  "agent, Zipkin in compact": () => takeOfAgent("compact"),
  "agent, Zipkin in binary": () => takeOfAgent("binary"),
  "Zipkin v1 JSON": (maxRowsBytes?: number) => takeBy(new ZipkinV1JsonTranscoder(limited(maxRowsBytes))),
  "Zipkin v1 Thrift": (maxRowsBytes?: number) => takeBy(new ZipkinV1ThriftTranscoder(limited(maxRowsBytes))),
  "Zipkin v2 JSON": (maxRowsBytes?: number) => takeBy(new ZipkinV2JsonTranscoder(limited(maxRowsBytes))),
  "Zipkin v2 protobuf": (maxRowsBytes?: number) => takeBy(new ZipkinV2ProtoTranscoder(limited(maxRowsBytes))),
} as const;

function limited(maxRowsBytes: number | undefined) {
  return maxRowsBytes === undefined ? {} : { maxRowsBytes };
}

const named = (name: string): ProtoField => [5, "bytes", name];

/** An OTLP message of three spans. The parameters are the second span's fields. */
export function otlp(...bad: ProtoField[]): Buffer {
  return otlpPieces(protoMessage(...bad));
}

/** Like `otlp`, but the second span is given as bytes. */
export function otlpPieces(bad: Uint8Array): Buffer {
  const span = (bytes: Uint8Array): ProtoField => [2, "bytes", bytes];
  const [one, two] = [protoMessage(...ids, named("one")), protoMessage(...ids, named("two"))];
  return Buffer.from(protoMessage([1, "bytes", [[2, "bytes", [span(one), span(bad), span(two)]]]]));
}

export const badIds = ids;

/** An OTLP JSON message. The parameters are the members of the second span, without its name. */
export function otlpJson(members: string, idMembers = otlpJsonIds): Buffer {
  const span = (name: string, all: string) => `{"name":"${name}",${all}}`;
  const spans = [
    span("one", otlpJsonIds),
    span("bad", [idMembers, members].filter((text) => text !== "").join(",")),
    span("two", otlpJsonIds),
  ];
  return Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join()}]}]}]}`);
}

export const otlpJsonIds = `"traceId":"${"01".repeat(16)}","spanId":"${"02".repeat(8)}"`;

/** A `PostSpansRequest` with three spans. The parameters are the second span's fields. */
export function postSpans(...bad: ProtoField[]): Buffer {
  const span = (fields: readonly ProtoField[]): ProtoField => [1, "bytes", [...fields]];
  const good = (name: string) => span([...ids, [3, "bytes", name]]);
  return Buffer.from(protoMessage([1, "bytes", [good("one"), span(bad), good("two")]]));
}

/** A Zipkin JSON list. The parameters are the second span's members. */
export function zipkinJson(members: string, idMembers = zipkinJsonIds): Buffer {
  const span = (name: string, all: string) => `{"name":"${name}",${all}}`;
  const bad = [idMembers, members].filter((text) => text !== "").join(",");
  return Buffer.from(`[${span("one", zipkinJsonIds)},${span("bad", bad)},${span("two", zipkinJsonIds)}]`);
}

export const zipkinJsonIds = '"traceId":"00000000000000a1","id":"00000000000000b1","timestamp":5';

/** A `ListOfSpans` with three spans. The parameters are the second span's fields. */
export function zipkinProto(...bad: ProtoField[]): Buffer {
  const good = (name: string): ProtoField => [1, "bytes", [...zipkinProtoIds, named(name)]];
  return Buffer.from(protoMessage(good("one"), [1, "bytes", [...bad]], good("two")));
}

export const zipkinProtoIds: ProtoField[] = [
  [1, "bytes", Buffer.alloc(16, 1)],
  [3, "bytes", Buffer.alloc(8, 1)],
];

const one = { high: 0, low: 1 };

/** A Thrift batch with three spans. `patch` damages the bytes around the second span's name. */
export function thriftBatch(
  form: "http" | "compact" | "binary",
  patch: (message: Buffer, nameAt: number) => Buffer = (message) => message,
): Buffer {
  const batch: ThriftBatch = {
    process: { serviceName: "shop", tags: [] },
    spans: ["one", "bad", "two"].map((operationName) => ({
      traceIdLow: one,
      traceIdHigh: one,
      spanId: one,
      parentSpanId: { high: 0, low: 0 },
      operationName,
      flags: 1,
      startTime: one,
      duration: one,
      tags: [],
    })),
  };
  const message = form === "http" ? encodeThriftBatch(batch, "binary") : encodeAgentPacket(batch, form);
  return patch(message, message.indexOf("bad"));
}

/** Zipkin spans in Thrift; `patch` damages the second span. */
export function zipkinThrift(
  form: "http" | "compact" | "binary",
  bad: Partial<ZipkinCoreSpan> = {},
  patch: (message: Buffer, nameAt: number) => Buffer = (message) => message,
): Buffer {
  const spans = ["one", "bad", "two"].map(
    (name): ZipkinCoreSpan => ({
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
      ...(name === "bad" ? bad : {}),
    }),
  );
  const message = form === "http" ? zipkinSpanList(spans) : zipkinPacket(spans, form);
  return patch(message, message.indexOf("bad"));
}
