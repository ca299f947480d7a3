import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thriftBatchToApiV2 } from "../../test/thrift-batch-to-api-v2.ts";
import { WireError } from "../errors.ts";
import type { Batch as ThriftBatch, Tag as ThriftTag } from "../gen/thrift/tracing.ts";
import { Batch, Process } from "../gen/tracing/api_v2/model.ts";
import { batchOfAgent } from "../testing/batch-of-agent.ts";
import { encodeAgentPacket } from "../testing/encode-agent-packet.ts";
import { thriftBatchArbitrary } from "../testing/thrift-batch-arbitrary.ts";
import type { ThriftProtocol } from "../thrift/message-envelope.ts";
import { AgentPacketReader } from "./agent-packet-reader.ts";

const protocols: readonly ThriftProtocol[] = ["compact", "binary"];
const zero = { high: 0, low: 0 };

function one(batch: Partial<ThriftBatch> = {}, ...tags: readonly ThriftTag[]): ThriftBatch {
  return {
    process: { serviceName: "shop", tags },
    spans: [
      {
        traceIdLow: { high: 0, low: 1 },
        traceIdHigh: zero,
        spanId: { high: -1, low: -2 },
        parentSpanId: { high: 0, low: 5 },
        operationName: "buy",
        references: [{ refType: 1, traceIdLow: zero, traceIdHigh: zero, spanId: { high: 0, low: 3 } }],
        flags: 1,
        startTime: { high: 388_119, low: 12_345 },
        duration: { high: 0, low: 1_500 },
        tags: [
          { key: "s", vType: 0, vStr: "text" },
          { key: "d", vType: 1, vDouble: 72.5 },
          { key: "b", vType: 2, vBool: true },
          { key: "l", vType: 3, vLong: { high: 0, low: 42 } },
          { key: "x", vType: 4, vBinary: Buffer.of(0, 255) },
        ],
        logs: [
          { timestamp: { high: 388_119, low: 12_999 }, fields: [{ key: "event", vType: 0, vStr: "paid" }] },
        ],
      },
    ],
    ...batch,
  };
}

describe.each(protocols)("AgentPacketReader of the %s protocol", (protocol) => {
  test("gives the bytes that the way over objects gives", () => {
    const reader = new AgentPacketReader(protocol, { maxPacketBytes: 1_000_000 });
    fc.assert(
      fc.property(thriftBatchArbitrary, (sent) => {
        const [batch, ...others] = reader.read(encodeAgentPacket(sent, protocol));
        if (batch === undefined) {
          throw new Error("no batch");
        }
        expect(others).toEqual([]);
        expect(batchOfAgent(batch)).toEqual(thriftBatchToApiV2(sent));
        expect(batch.spanCount).toBe(sent.spans.length);
      }),
      { seed: 5, numRuns: 300, endOnFailure: true },
    );
  });

  test("gives bytes as short and in the order that encoders give", () => {
    const [batch] = new AgentPacketReader(protocol).read(encodeAgentPacket(one({}, uuid("u")), protocol));
    const { spans, process } = thriftBatchToApiV2(one({}, uuid("u")));
    expect(batch?.process).toEqual(Buffer.from(Process.encode(process ?? Process.create()).finish()));
    expect(batch?.spans).toEqual(Buffer.from(Batch.encode({ spans, process: undefined }).finish()));
  });

  test("gives the same object for the same process, among some others too", () => {
    const reader = new AgentPacketReader(protocol);
    const processOf = (name: string, ...tags: readonly ThriftTag[]) =>
      reader.read(encodeAgentPacket(one({ process: { serviceName: name, tags } }), protocol))[0]?.process;
    const names = Array.from({ length: 16 }, (_, index) => `shop-${index}`);
    const first = names.map((name) => processOf(name));
    expect(new Set(first.map((process) => process?.toString("hex")))).toHaveProperty("size", 16);
    for (const [index, name] of names.entries()) {
      expect(processOf(name)).toBe(first[index]);
    }
    // One process more than the limit: the reader forgets the oldest, and does not confuse two processes.
    expect(processOf("shop-1", uuid("u"))?.equals(first[1] ?? Buffer.alloc(0))).toBe(false);
    for (const [index, name] of names.entries()) {
      expect(processOf(name)).toEqual(first[index]);
    }
  });

  test("takes a process too large to be kept", () => {
    const reader = new AgentPacketReader(protocol);
    const batch = one({ process: { serviceName: "s".repeat(9_000) } });
    for (const _round of [1, 2]) {
      const [read] = reader.read(encodeAgentPacket(batch, protocol));
      expect(read && batchOfAgent(read)).toEqual(thriftBatchToApiV2(batch));
    }
  });

  test("gives spans that stay good when the next packet comes", () => {
    const reader = new AgentPacketReader(protocol);
    const first = reader.read(encodeAgentPacket(one(), protocol))[0];
    const copy = Buffer.from(first?.spans ?? []);
    reader.read(encodeAgentPacket(one({ process: { serviceName: "x" }, spans: [] }), protocol));
    expect(first?.spans.equals(copy)).toBe(true);
  });

  test.each<[name: string, batch: ThriftBatch, stats: unknown]>([
    ["losses and no client", one({ stats: stats(1, 2, 3) }), undefined],
    ["a client and no losses", one({}, uuid("u")), undefined],
    [
      "both",
      one({ stats: stats(1, 2, -1), seqNo: { high: 0, low: 9 } }, uuid("u"), uuid("v")),
      {
        clientUuid: "u",
        seqNo: 9n,
        fullQueueDroppedSpans: 1n,
        tooLargeDroppedSpans: 2n,
        failedToEmitSpans: -1n,
      },
    ],
    [
      "both without a number",
      one({ stats: stats(0, 0, 0) }, uuid("u")),
      {
        clientUuid: "u",
        seqNo: undefined,
        fullQueueDroppedSpans: 0n,
        tooLargeDroppedSpans: 0n,
        failedToEmitSpans: 0n,
      },
    ],
  ])("reads what the client lost: %s", (_name, batch, expected) => {
    const reader = new AgentPacketReader(protocol);
    for (const _round of [1, 2]) {
      expect(reader.read(encodeAgentPacket(batch, protocol))[0]?.clientStats).toEqual(expected);
    }
    expect(reader.read(encodeAgentPacket(one(), protocol))[0]?.clientStats).toBeUndefined();
  });

  test("puts U+FFFD in place of what is not UTF-8", () => {
    const packet = encodeAgentPacket(one(), protocol);
    packet[packet.indexOf("buy")] = 0xff;
    packet[packet.indexOf("text")] = 0xff;
    packet[packet.indexOf("shop")] = 0xff;
    const [batch] = new AgentPacketReader(protocol).read(packet);
    expect(batch && batchOfAgent(batch)).toMatchObject({
      process: { serviceName: "\ufffdhop" },
      spans: [{ operationName: "\ufffduy", tags: [{ vStr: "\ufffdext" }, {}, {}, {}, {}] }],
    });
  });

  test("reads out of the middle of a larger buffer, and ignores what follows", () => {
    const packet = encodeAgentPacket(one(), protocol);
    const larger = Buffer.concat([Buffer.of(9, 9, 9), packet, Buffer.of(9, 9)]);
    const [batch] = new AgentPacketReader(protocol).read(larger.subarray(3));
    expect(batch && batchOfAgent(batch)).toEqual(thriftBatchToApiV2(one()));
  });

  test("gives an error wherever a packet is cut, and reads the next", () => {
    const reader = new AgentPacketReader(protocol);
    const packet = encodeAgentPacket(one({ stats: stats(1, 2, 3) }, uuid("u")), protocol);
    for (let length = 0; length < packet.length; length++) {
      expect(codeOf(() => reader.read(packet.subarray(0, length)))).toBe("WIRE_TRUNCATED");
    }
    expect(reader.read(packet)).toHaveLength(1);
  });

  test("keeps to the limit", () => {
    const packet = encodeAgentPacket(one(), protocol);
    const reader = new AgentPacketReader(protocol, { maxPacketBytes: packet.length - 1 });
    expect(() => reader.read(packet)).toThrow(
      `packet of ${packet.length} bytes is over maxPacketBytes ${packet.length - 1}`,
    );
  });

  test("never does worse than a WireError, however a packet is changed", () => {
    const reader = new AgentPacketReader(protocol);
    const packet = encodeAgentPacket(one({ stats: stats(1, 2, 3) }, uuid("u")), protocol);
    const interesting = fc.constantFrom(0x00, 0x01, 0x0f, 0x7f, 0x80, 0xf9, 0xfc, 0xff);
    const change = fc.tuple(fc.nat(packet.length - 1), fc.oneof(fc.nat(255), interesting));
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.oneof({ weight: 7, arbitrary: fc.constant(packet.length) }, fc.nat(packet.length)),
        (changes, cut) => {
          const changed = Buffer.from(packet);
          for (const [at, byte] of changes) {
            changed[at] = byte;
          }
          const code = codeOf(() => {
            for (const batch of reader.read(changed.subarray(0, cut))) {
              batchOfAgent(batch);
            }
          });
          outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
        },
      ),
      { seed: 42, numRuns: 6_000 },
    );
    const allowed = ["fine", "WIRE_TRUNCATED", "WIRE_MALFORMED", "WIRE_TOO_DEEP"];
    expect([...outcomes.keys()].filter((code) => !allowed.includes(code))).toEqual([]);
    expect(outcomes.get("fine")).toBeGreaterThan(100);
  });
});

function stats(full: number, large: number, failed: number) {
  const i64 = (low: number) => ({ high: low >> 31, low });
  return {
    fullQueueDroppedSpans: i64(full),
    tooLargeDroppedSpans: i64(large),
    failedToEmitSpans: i64(failed),
  };
}

function uuid(vStr: string): ThriftTag {
  return { key: "client-uuid", vType: 0, vStr };
}

function codeOf(read: () => unknown): string {
  try {
    read();
    return "fine";
  } catch (error) {
    return error instanceof WireError ? error.code : String(error);
  }
}
