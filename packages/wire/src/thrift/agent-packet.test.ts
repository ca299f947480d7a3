import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WireError } from "../errors.ts";
import { decodeAgentPacket, type ThriftProtocol } from "./decode-agent-packet.ts";
import { encodeAgentPacket } from "./encode-agent-packet.ts";
import { thriftBatchArbitrary } from "./thrift-batch-arbitrary.ts";
import type { ThriftBatch } from "./thrift-structs.ts";

const protocols: readonly ThriftProtocol[] = ["compact", "binary"];

/** Both readers' structs as plain objects: thriftrw's 64-bit integers are instances of a class of its own. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (value === null || typeof value !== "object" || Buffer.isBuffer(value)) {
    return value;
  }
  if ("high" in value && "low" in value) {
    return { high: value.high, low: value.low };
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

const one: ThriftBatch = {
  process: { serviceName: "shop", tags: [{ key: "hostname", vType: 0, vStr: "h" }] },
  spans: [
    {
      traceIdLow: { high: 0, low: 1 },
      traceIdHigh: { high: 0, low: 0 },
      spanId: { high: -1, low: -2 },
      parentSpanId: { high: 0, low: 0 },
      operationName: "buy",
      references: [
        {
          refType: 1,
          traceIdLow: { high: 0, low: 1 },
          traceIdHigh: { high: 0, low: 0 },
          spanId: { high: 0, low: 3 },
        },
      ],
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
  seqNo: { high: 0, low: 7 },
};

const codeOf = (decode: () => unknown): string => {
  try {
    decode();
    return "fine";
  } catch (error) {
    return error instanceof WireError ? error.code : String(error);
  }
};

describe.each(protocols)("a packet in the %s protocol", (protocol) => {
  it("comes back as it was", () => {
    fc.assert(
      fc.property(thriftBatchArbitrary, (sent) => {
        const packet = encodeAgentPacket(sent, protocol);
        expect(plain(decodeAgentPacket(packet, protocol, packet.length))).toEqual(plain(sent));
      }),
      { seed: 5, numRuns: 200, endOnFailure: true },
    );
  });

  it("is read out of the middle of a larger buffer, and what follows it is ignored", () => {
    const packet = encodeAgentPacket(one, protocol);
    const larger = Buffer.concat([Buffer.of(9, 9, 9), packet, Buffer.of(9, 9)]);
    expect(plain(decodeAgentPacket(larger.subarray(3), protocol))).toEqual(plain(one));
  });

  it("gives an error wherever it is cut", () => {
    const packet = encodeAgentPacket(one, protocol);
    const codes = Array.from({ length: packet.length }, (_, length) =>
      codeOf(() => decodeAgentPacket(packet.subarray(0, length), protocol)),
    );
    expect(new Set(codes)).toEqual(new Set(["WIRE_TRUNCATED"]));
  });

  it("keeps to the limit", () => {
    const packet = encodeAgentPacket(one, protocol);
    expect(() => decodeAgentPacket(packet, protocol, packet.length - 1)).toThrow(
      `packet of ${packet.length} bytes is over maxPacketBytes ${packet.length - 1}`,
    );
  });

  it("never does worse than a WireError, however it is changed", () => {
    const packet = encodeAgentPacket(one, protocol);
    let state = 42;
    // A linear congruential generator: the same changes on every run.
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const interesting = [0x00, 0x01, 0x0f, 0x7f, 0x80, 0xf9, 0xfc, 0xff];
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 6_000; round++) {
      const changed = Buffer.from(packet);
      for (let change = random(4); change >= 0; change--) {
        changed[random(changed.length)] =
          random(2) === 0 ? random(256) : interesting[random(interesting.length)]!;
      }
      const cut = random(8) === 0 ? random(changed.length) : changed.length;
      const code = codeOf(() => decodeAgentPacket(changed.subarray(0, cut), protocol));
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
    }
    const allowed = ["fine", "WIRE_TRUNCATED", "WIRE_MALFORMED", "WIRE_TOO_DEEP"];
    expect([...outcomes.keys()].filter((code) => !allowed.includes(code))).toEqual([]);
    expect(outcomes.get("fine")).toBeGreaterThan(100);
  });
});
