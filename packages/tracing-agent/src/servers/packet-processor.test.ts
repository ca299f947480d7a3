import { createLogger, createMetrics } from "lifecycle";
import { describe, expect, test } from "vitest";
import { type Batch, PostSpansRequest, stringTag } from "wire/api-v2";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";
import { oneSpanBatch } from "../../test/one-span-batch.ts";
import { AgentMetrics } from "../agent-metrics.ts";
import { PacketProcessor } from "./packet-processor.ts";
import { processTagFields } from "./post-spans-builder.ts";

/** Timeout that is long enough for a busy machine. */
const patience = { timeout: 60_000 };

/** A processor whose calls to the collector end when the test resolves them. */
function setUp(settings: { maxQueuedPackets?: number; maxPacketBytes?: number; workers?: number }) {
  const registry = createMetrics("test");
  const calls: { batch: Batch | undefined; spans: number; end: () => void }[] = [];
  const processor = new PacketProcessor({
    protocol: "compact",
    model: "tracing",
    maxQueuedPackets: 10,
    maxPacketBytes: 65_000,
    workers: 1,
    ...settings,
    agentTags: processTagFields([["zone", "z"]]),
    metrics: new AgentMetrics(registry),
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    report: (request, spans) =>
      new Promise((end) => {
        expect(request.readUIntBE(0, 5)).toBe(request.length - 5);
        calls.push({
          batch: PostSpansRequest.decode(request.subarray(5)).batch,
          spans,
          end: () => end(true),
        });
      }),
  });
  const counted = async (name: string) => {
    const metric = await registry.getSingleMetric(`tracing_agent_${name}`)?.get();
    return Object.fromEntries(
      metric?.values.map(({ labels, value }) => [labels.reason ?? "all", value]) ?? [],
    );
  };
  return { processor, calls, counted };
}

const packet = (id: number, service = "shop") => encodeAgentPacket(oneSpanBatch(service, id), "compact");
const names = (batch: Batch | undefined) => batch?.spans.map(({ operationName }) => operationName);

describe("PacketProcessor", () => {
  test("sends what there is at once while a worker is free", async () => {
    const { processor, calls } = setUp({ workers: 2 });
    processor.accept(packet(1));
    processor.accept(packet(2));
    await expect.poll(() => calls.length, patience).toBe(1);
    processor.accept(packet(3));
    await expect.poll(() => calls.length, patience).toBe(2);
    processor.accept(packet(4));
    await new Promise(setImmediate);
    expect(calls.map(({ batch }) => names(batch))).toEqual([["span 1", "span 2"], ["span 3"]]);
    expect(calls[0]?.batch?.process).toEqual({
      serviceName: "shop",
      tags: [stringTag("hostname", "h"), stringTag("zone", "z")],
    });
    expect(calls.map(({ spans }) => spans)).toEqual([2, 1]);
    expect(processor.waiting).toBe(1);
  });

  test("makes one call for each process", async () => {
    const { processor, calls } = setUp({});
    for (const [id, service] of [
      [1, "a"],
      [2, "b"],
      [3, "a"],
    ] as const) {
      processor.accept(packet(id, service));
    }
    const drained = processor.drained();
    for (let index = 0; index < 2; index++) {
      await expect.poll(() => calls.length, patience).toBe(index + 1);
      calls[index]?.end();
    }
    await drained;
    expect(calls.map(({ batch }) => names(batch))).toEqual([["span 1", "span 3"], ["span 2"]]);
  });

  test("drops what does not fit, and counts it by reason", async () => {
    const { processor, calls } = setUp({ maxQueuedPackets: 2, maxPacketBytes: packet(1).length });
    processor.accept(packet(1));
    await expect.poll(() => calls.length, patience).toBe(1);
    for (const id of [2, 3, 4, 5]) {
      processor.accept(packet(id)); // Two wait, two are dropped.
    }
    processor.accept(packet(6, "a longer name"));
    expect(processor).toMatchObject({ processed: 3, queueFull: 2, tooLarge: 1 });
    calls[0]?.end();
    await expect.poll(() => calls.length, patience).toBe(2);
    expect(names(calls[1]?.batch)).toEqual(["span 2", "span 3"]);
  });

  test("counts bad packets by what is wrong with them, and goes on", async () => {
    const { processor, calls, counted } = setUp({});
    processor.accept(Buffer.from("GET / HTTP/1.1"));
    processor.accept(packet(1).subarray(0, 40));
    processor.accept(Buffer.alloc(0));
    processor.accept(packet(7));
    await expect.poll(() => calls.length, patience).toBe(1);
    expect(calls.map(({ batch }) => names(batch))).toEqual([["span 7"]]);
    expect(await counted("thrift_udp_t_processor_handler_errors_total")).toEqual({
      WIRE_MALFORMED: 1,
      WIRE_TRUNCATED: 2,
    });
  });
});
