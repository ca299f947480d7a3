// Every field of the Thrift structs, written and read again. `thrift-from-idl.test.ts` runs it with the sources and
// with a copy whose IDL has other field numbers: `node thrift-both-ways.ts` prints the result.
import { AgentPacketReader } from "../src/agent/agent-packet-reader.ts";
import { Agent } from "../src/gen/thrift/agent.ts";
import { type Batch, SpanRefType, type Tag, TagType } from "../src/gen/thrift/tracing.ts";
import { AnnotationType, Span as ZipkinSpan } from "../src/gen/thrift/zipkincore.ts";
import { Batch as ApiV2Batch } from "../src/gen/tracing/api_v2/model.ts";
import { readSpanRows } from "../src/rows/read-span-rows.ts";
import { batchOfAgent } from "../src/testing/batch-of-agent.ts";
import { BinaryWriter } from "../src/testing/binary-writer.ts";
import { CompactWriter } from "../src/testing/compact-writer.ts";
import { encodeAgentPacket, encodeThriftBatch } from "../src/testing/encode-agent-packet.ts";
import { explainBinaryError } from "../src/thrift/explain-binary-error.ts";
import { messageTypes } from "../src/thrift/message-envelope.ts";
import { ThriftBatchTranscoder } from "../src/thrift/thrift-batch-transcoder.ts";
import { ZipkinV1ThriftTranscoder } from "../src/zipkin/zipkin-v1-thrift-transcoder.ts";

const id = (low: number) => ({ high: 1, low });
const tags: readonly Tag[] = [
  { key: "client-uuid", vType: TagType.STRING, vStr: "text" },
  { key: "double", vType: TagType.DOUBLE, vDouble: 0.5 },
  { key: "bool", vType: TagType.BOOL, vBool: true },
  { key: "long", vType: TagType.LONG, vLong: id(7) },
  { key: "binary", vType: TagType.BINARY, vBinary: Buffer.of(1, 2, 3) },
];

/** A batch in which every field of every struct has a different value. */
export const fullBatch: Batch = {
  process: { serviceName: "shop", tags },
  spans: [
    {
      traceIdLow: id(1),
      traceIdHigh: id(2),
      spanId: id(3),
      parentSpanId: id(4),
      operationName: "get",
      references: [
        { refType: SpanRefType.FOLLOWS_FROM, traceIdLow: id(5), traceIdHigh: id(6), spanId: id(8) },
      ],
      flags: 3,
      startTime: { high: 395_812, low: 1_234_567 },
      duration: id(9),
      tags,
      logs: [{ timestamp: { high: 395_812, low: 1_234_568 }, fields: tags }],
    },
  ],
  seqNo: id(10),
  stats: { fullQueueDroppedSpans: id(11), tooLargeDroppedSpans: id(12), failedToEmitSpans: id(13) },
};

const host = { ipv4: 0x01020304, port: 80, serviceName: "shop", ipv6: Buffer.alloc(16, 7) };

/** The same for Zipkin. */
export const fullZipkinSpan: ZipkinSpan = {
  traceId: 1n,
  name: "get",
  id: 2n,
  parentId: 3n,
  annotations: [{ timestamp: 4n, value: "sr", host }],
  binaryAnnotations: [
    { key: "text", value: Buffer.from("value"), annotationType: AnnotationType.STRING, host },
    { key: "flag", value: Buffer.of(1), annotationType: AnnotationType.BOOL, host },
  ],
  debug: true,
  timestamp: 5n,
  duration: 6n,
  traceIdHigh: 7n,
};

function zipkinPacket(writer: BinaryWriter | CompactWriter): Buffer {
  const { name, arguments: argumentsStruct } = Agent.emitZipkinBatch;
  writer.message(name, messageTypes.oneway);
  writer.struct(argumentsStruct, { spans: [fullZipkinSpan] });
  return writer.take();
}

function zipkinList(): Buffer {
  const writer = new BinaryWriter();
  writer.structs(ZipkinSpan, [fullZipkinSpan]);
  return writer.take();
}

/** The bytes of every writer, under the name of the reader for them. */
export const messages = () => ({
  compact: encodeAgentPacket(fullBatch, "compact"),
  binary: encodeAgentPacket(fullBatch, "binary"),
  http: encodeThriftBatch(fullBatch, "binary"),
  zipkinCompact: zipkinPacket(new CompactWriter()),
  zipkinBinary: zipkinPacket(new BinaryWriter()),
  zipkinHttp: zipkinList(),
});

function ofAgent(protocol: "compact" | "binary", packet: Buffer): unknown[] {
  return new AgentPacketReader(protocol)
    .read(packet)
    .map((batch) => [ApiV2Batch.toJSON(batchOfAgent(batch)), batch.clientStats]);
}

const readers: Readonly<Record<keyof ReturnType<typeof messages>, (message: Buffer) => unknown>> = {
  compact: (packet) => ofAgent("compact", packet),
  binary: (packet) => ofAgent("binary", packet),
  http: (message) => readSpanRows(new ThriftBatchTranscoder().transcode(message).rows.bytes),
  zipkinCompact: (packet) => ofAgent("compact", packet),
  zipkinBinary: (packet) => ofAgent("binary", packet),
  zipkinHttp: (message) => readSpanRows(new ZipkinV1ThriftTranscoder().transcode(message).rows.bytes),
};

/** A reader's result for a message as text, or the reason of a refusal. */
export function readAs(kind: string, message: Buffer): string {
  try {
    const found = readers[kind as keyof typeof readers](message);
    return JSON.stringify(found, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
  } catch (error) {
    return String(error);
  }
}

/** The public model's text when the service's name is cut off. */
export function explained(): string | undefined {
  const message = messages().http;
  return explainBinaryError(message.subarray(0, message.indexOf("shop") + 2));
}

if (process.argv[1] === import.meta.filename) {
  const written = Object.entries(messages()).map(([kind, bytes]) => [kind, bytes.toString("hex")]);
  const read = Object.entries(messages()).map(([kind, bytes]) => [kind, readAs(kind, bytes)]);
  console.log(
    JSON.stringify({
      written: Object.fromEntries(written),
      read: Object.fromEntries(read),
      explained: explained(),
    }),
  );
}
