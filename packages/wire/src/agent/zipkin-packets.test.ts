import { describe, expect, test } from "vitest";
import type { Span as ZipkinCoreSpan } from "../gen/thrift/zipkincore.ts";
import { Batch, Process } from "../gen/tracing/api_v2/model.ts";
import { batchOfAgent } from "../testing/batch-of-agent.ts";
import { zipkinPacket } from "../testing/zipkin-thrift-messages.ts";
import { zipkinCoreSpansToApiV2 } from "../zipkin/zipkin-core-spans-to-api-v2.ts";
import { AgentPacketReader } from "./agent-packet-reader.ts";

function span(id: bigint, serviceName: string): ZipkinCoreSpan {
  const host = { ipv4: 0x01020304, port: 40_000, serviceName, ipv6: Buffer.alloc(16, 1) };
  return {
    traceId: 7n,
    traceIdHigh: 1n,
    name: "get",
    id,
    parentId: 3n,
    annotations: [
      { timestamp: 1_700_000_000_000_000n, value: "cs", host },
      { timestamp: 1_700_000_000_002_000n, value: "cr", host },
      { timestamp: 1_700_000_000_001_000n, value: "retry", host: undefined },
    ],
    binaryAnnotations: [{ key: "n", value: Buffer.of(0, 5), annotationType: 2, host: undefined }],
    debug: true,
    timestamp: 1_700_000_000_000_000n,
    duration: 2_000n,
  };
}

describe.each(["compact", "binary"] as const)("emitZipkinBatch in the %s protocol", (protocol) => {
  test("gives one batch for each process", () => {
    const spans = [span(1n, "front"), span(2n, "back"), span(3n, "front")];
    const batches = new AgentPacketReader(protocol).read(zipkinPacket(spans, protocol));
    expect(batches.map(batchOfAgent)).toEqual(zipkinCoreSpansToApiV2(spans));
    expect(batches.map(({ process, spanCount }) => [Process.decode(process).serviceName, spanCount])).toEqual(
      [
        ["front", 2],
        ["back", 1],
      ],
    );
    expect(batches[0]?.spans).toEqual(
      Buffer.from(
        Batch.encode({ spans: batchOfAgent(batches[0] as never).spans, process: undefined }).finish(),
      ),
    );
  });

  test("rejects a span without a service alone, and a packet of no other", () => {
    const reader = new AgentPacketReader(protocol);
    expect(reader.read(zipkinPacket([span(1n, "front"), span(2n, "")], protocol))).toMatchObject([
      { spanCount: 1 },
    ]);
    expect(reader.rejected.errorMessage).toMatch(/^1 span rejected: span ".*" at spans\[1\]: /);
    expect(reader.read(zipkinPacket([span(1n, "front")], protocol))).toHaveLength(1);
    expect(reader.rejected.count).toBe(0);
    expect(() => reader.read(zipkinPacket([span(2n, "")], protocol))).toThrow(
      expect.objectContaining({ code: "WIRE_MALFORMED" }),
    );
  });

  test("refuses every cut of a packet, and the next one is read", () => {
    const reader = new AgentPacketReader(protocol);
    const packet = zipkinPacket([span(1n, "front")], protocol);
    for (let length = 0; length < packet.length; length++) {
      expect(() => reader.read(packet.subarray(0, length))).toThrow(
        expect.objectContaining({ code: "WIRE_TRUNCATED" }),
      );
    }
    expect(reader.read(packet)).toHaveLength(1);
  });
});
