import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { expect, test } from "vitest";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";
import type { ThriftBatch } from "wire/thrift";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { eventually } from "../../src/expect.ts";
import { askTraces } from "../../src/tracing-api/ask.ts";
import { staysUnharmed } from "./unharmed.ts";

const protocols = ["compact", "binary"] as const;
type Protocol = (typeof protocols)[number];

/** A batch with one span at the present time. @param id id of the span and its trace, of 32 bits */
export function thriftBatchOfNow(id: number): ThriftBatch {
  const startUs = BigInt(Date.now()) * 1_000n;
  return {
    process: { serviceName: "bad-agent-udp", tags: [] },
    spans: [
      {
        traceIdLow: { high: 0, low: id },
        traceIdHigh: { high: 0, low: 0 },
        spanId: { high: 0, low: id },
        parentSpanId: { high: 0, low: 0 },
        operationName: "work",
        flags: 1,
        startTime: { high: Number(startUs >> 32n), low: Number(BigInt.asIntN(32, startUs)) },
        duration: { high: 0, low: 1_500 },
        tags: [],
      },
    ],
  };
}

/** Tests of the agent's UDP ports. */
export function agentUdp(backend: () => AllProcesses): void {
  const send = async (protocol: Protocol, ...packets: readonly Uint8Array[]) => {
    const port = protocol === "compact" ? backend().agentCompactPort : backend().agentBinaryPort;
    const socket = createSocket("udp4");
    try {
      for (const packet of packets) {
        await new Promise<void>((resolve, reject) =>
          socket.send(packet, port, "127.0.0.1", (error) => (error === null ? resolve() : reject(error))),
        );
      }
    } finally {
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    }
  };
  /** Number of packets that were accepted or dropped, so they were read from the socket. */
  const seen = async (protocol: Protocol) => {
    const text = await (await fetch(backend().agent.metricsUrl)).text();
    const lines = text.matchAll(
      /^tracing_agent_thrift_udp_server_packets_(?:processed|dropped)_total\{(.*)\} (\d+)$/gm,
    );
    return [...lines]
      .filter(([, labels]) => labels?.includes(`protocol="${protocol}"`))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  };
  const badCount = async (protocol: Protocol) => {
    const text = await (await fetch(backend().agent.metricsUrl)).text();
    const lines = text.matchAll(
      /^tracing_agent_thrift_udp_(?:t_processor_handler_errors|server_packets_dropped)_total\{(.*)\} (\d+)$/gm,
    );
    return [...lines]
      .filter(([, labels]) => labels?.includes(`protocol="${protocol}"`))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  };

  staysUnharmed({
    process: () => backend().agent,
    good: async () => {
      const ids = protocols.map(() => randomBytes(4).readUInt32BE() >>> 1);
      for (const [index, protocol] of protocols.entries()) {
        await send(protocol, encodeAgentPacket(thriftBatchOfNow(ids[index] ?? 0), protocol));
      }
      for (const id of ids) {
        await eventually(
          () => askTraces(`${backend().addresses.query}/api/traces/${id.toString(16)}`),
          5_000,
        );
      }
    },
    maxGrowthMiB: 96,
  });

  test.each(protocols)("bad packets on the %s port are counted and forgotten", async (protocol) => {
    const good = encodeAgentPacket(thriftBatchOfNow(7), protocol);
    const other = encodeAgentPacket(thriftBatchOfNow(7), protocol === "compact" ? "binary" : "compact");
    const start = good.subarray(0, 20);
    const packets: Uint8Array[] = [
      Buffer.alloc(0),
      Buffer.from("GET / HTTP/1.1\r\n\r\n"),
      good.subarray(0, -1),
      good.subarray(0, good.length / 2),
      other,
      Buffer.alloc(65_000),
      Buffer.alloc(65_507, 1),
      // Structs in structs and lists in lists, without an end.
      Buffer.concat([start, Buffer.alloc(60_000, 0x1c)]),
      Buffer.concat([start, Buffer.alloc(60_000, 0x19)]),
      Buffer.concat([start, Buffer.alloc(60_000, 0x0c)]),
      // A list whose length field is two thousand million elements.
      Buffer.concat([start, Buffer.from([0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07])]),
      Buffer.concat([start, Buffer.from([0x0f, 0, 2, 0x0c, 0x7f, 0xff, 0xff, 0xff])]),
    ];
    const [seenBefore, badBefore] = [await seen(protocol), await badCount(protocol)];
    for (const [index, packet] of packets.entries()) {
      await send(protocol, packet);
      // The packets are sent one after another, so that no socket buffer overflows.
      await eventually(async () => expect(await seen(protocol)).toBe(seenBefore + index + 1), 5_000);
    }
    await eventually(async () => expect(await badCount(protocol)).toBe(badBefore + packets.length), 5_000);
  });
}
