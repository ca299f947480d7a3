// The same packet written by Apache's own library, which most clients use.
import thrift, { type Protocol } from "thrift";
import { describe, expect, test } from "vitest";
import { thriftBatchToApiV2 } from "../../test/thrift-batch-to-api-v2.ts";
import type { Batch as ThriftBatch } from "../gen/thrift/tracing.ts";
import { batchOfAgent } from "../testing/batch-of-agent.ts";
import { encodeAgentPacket } from "../testing/encode-agent-packet.ts";
import type { ThriftProtocol } from "../thrift/message-envelope.ts";
import { AgentPacketReader } from "./agent-packet-reader.ts";

const { Int64, TBinaryProtocol, TBufferedTransport, TCompactProtocol } = thrift;

/** Type numbers in Apache's API; they are the same for all protocols. */
const types = { bool: 2, double: 4, i32: 8, i64: 10, string: 11, struct: 12, list: 15 } as const;

type Value =
  | { type: "bool"; value: boolean }
  | { type: "double" | "i32"; value: number }
  | { type: "i64"; value: bigint }
  | { type: "string"; value: string | Buffer }
  | { type: "struct"; value: Record<number, Value> }
  | { type: "list"; value: Record<number, Value>[] };

const i64 = (value: bigint): Value => ({ type: "i64", value });
const i32 = (value: number): Value => ({ type: "i32", value });
const string = (value: string | Buffer): Value => ({ type: "string", value });
const list = (...value: Record<number, Value>[]): Value => ({ type: "list", value });
const tag = (key: string, vType: number, id: number, value: Value) => ({
  1: string(key),
  2: i32(vType),
  [id]: value,
});

function write(protocol: Protocol, { type, value }: Value): void {
  switch (type) {
    case "bool":
      protocol.writeBool(value);
      break;
    case "double":
      protocol.writeDouble(value);
      break;
    case "i32":
      protocol.writeI32(value);
      break;
    case "i64": {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64BE(value);
      protocol.writeI64(new Int64(bytes));
      break;
    }
    case "string":
      protocol.writeString(value);
      break;
    case "struct":
      protocol.writeStructBegin("");
      for (const [id, member] of Object.entries(value)) {
        protocol.writeFieldBegin("", types[member.type], Number(id));
        write(protocol, member);
      }
      protocol.writeFieldStop();
      protocol.writeStructEnd();
      break;
    case "list":
      protocol.writeListBegin(types.struct, value.length);
      for (const element of value) {
        write(protocol, { type: "struct", value: element });
      }
  }
}

function packetOf(
  make: (transport: unknown) => Protocol,
  messageType: number,
  batch: Record<number, Value>,
): Buffer {
  let packet: Buffer = Buffer.alloc(0);
  const protocol = make(
    new TBufferedTransport(undefined, (bytes) => {
      packet = bytes;
    }),
  );
  protocol.writeMessageBegin("emitBatch", messageType, 300);
  write(protocol, { type: "struct", value: { 1: { type: "struct", value: batch } } });
  protocol.flush();
  return packet;
}

const tags = [
  tag("s", 0, 3, string("grüße 🦊")),
  tag("d", 1, 4, { type: "double", value: -0.1 }),
  tag("yes", 2, 5, { type: "bool", value: true }),
  tag("no", 2, 5, { type: "bool", value: false }),
  tag("l", 3, 6, i64(-(2n ** 63n))),
  tag("x", 4, 7, string(Buffer.of(0, 128, 255))),
];

/**
 * A batch with enough tags for a long list header, with negative and large numbers, references, logs and statistics.
 */
const batch: Record<number, Value> = {
  1: { type: "struct", value: { 1: string("shop"), 2: list(tag("hostname", 0, 3, string("h"))) } },
  2: list({
    1: i64(-2n),
    2: i64(0x0af7651916cd43ddn),
    3: i64(0x7000000000000001n),
    4: i64(5n),
    5: string("buy"),
    6: list({ 1: i32(1), 2: i64(-2n), 3: i64(0n), 4: i64(9n) }),
    7: i32(-1),
    8: i64(1_700_000_000_123_456n),
    9: i64(300n),
    10: list(...tags, ...tags, ...tags),
    11: list({ 1: i64(1_700_000_000_123_500n), 2: list(tag("event", 0, 3, string("paid"))) }),
  }),
  3: i64(64n),
  4: { type: "struct", value: { 1: i64(1n), 2: i64(2n), 3: i64(3n) } },
};

const low = (value: number) => ({ high: value < 0 ? -1 : 0, low: value });
const readTags = [
  { key: "s", vType: 0, vStr: "grüße 🦊" },
  { key: "d", vType: 1, vDouble: -0.1 },
  { key: "yes", vType: 2, vBool: true },
  { key: "no", vType: 2, vBool: false },
  { key: "l", vType: 3, vLong: { high: -(2 ** 31), low: 0 } },
  { key: "x", vType: 4, vBinary: Buffer.of(0, 128, 255) },
];
const startTime = { high: 395812, low: 404759104 }; // 1_700_000_000_123_456
const logTime = { high: 395812, low: 404759148 };
const expected: ThriftBatch = {
  process: { serviceName: "shop", tags: [{ key: "hostname", vType: 0, vStr: "h" }] },
  spans: [
    {
      traceIdLow: low(-2),
      traceIdHigh: { high: 0x0af76519, low: 0x16cd43dd },
      spanId: { high: 0x70000000, low: 1 },
      parentSpanId: low(5),
      operationName: "buy",
      references: [{ refType: 1, traceIdLow: low(-2), traceIdHigh: low(0), spanId: low(9) }],
      flags: -1,
      startTime,
      duration: low(300),
      tags: [...readTags, ...readTags, ...readTags],
      logs: [{ timestamp: logTime, fields: [{ key: "event", vType: 0, vStr: "paid" }] }],
    },
  ],
  seqNo: low(64),
  stats: { fullQueueDroppedSpans: low(1), tooLargeDroppedSpans: low(2), failedToEmitSpans: low(3) },
};

const writers: [string, ThriftProtocol, (transport: unknown) => Protocol][] = [
  ["compact", "compact", (transport) => new TCompactProtocol(transport)],
  ["strict binary", "binary", (transport) => new TBinaryProtocol(transport, true, true)],
  ["old binary", "binary", (transport) => new TBinaryProtocol(transport, false, false)],
];

describe.each(writers)("Apache's library, %s", (_, protocol, make) => {
  test.each([
    ["CALL", 1],
    ["ONEWAY", 4],
  ])("is understood (%s)", (_, messageType) => {
    const reader = new AgentPacketReader(protocol);
    const [read] = reader.read(packetOf(make, messageType, batch));
    expect(read && batchOfAgent(read)).toEqual(thriftBatchToApiV2(expected));
    // The packet of our own writer gives the same result.
    expect(reader.read(encodeAgentPacket(expected, protocol))).toEqual([read]);
  });
});
