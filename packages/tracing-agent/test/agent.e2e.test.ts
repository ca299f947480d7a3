// Tests the agent as a separate process, with real UDP sockets and a real gRPC server.

import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerCredentials, status } from "@grpc/grpc-js";
import { knownSinceMajor, readProgram } from "bundler/program";
import jaegerClient from "jaeger-client";
import { createTestAuthority, createTlsFolder } from "lifecycle/testing";
import { FORMAT_TEXT_MAP } from "opentracing";
import { afterEach, describe, expect, test } from "vitest";
import type { ThriftProtocol } from "wire/agent";
import { binaryTag, boolTag, float64Tag, int64Tag, stringTag } from "wire/api-v2";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";
import type { ThriftBatch } from "wire/thrift";
import { type AgentUnderTest, startAgent, startBuiltAgent } from "./agent-under-test.ts";
import { CollectorUnderTest } from "./collector-under-test.ts";
import { oneSpanBatch } from "./one-span-batch.ts";

/** Timeout that is long enough for a busy machine. */
const patience = { timeout: 60_000 };

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) {
    await step();
  }
});

async function collector(): Promise<CollectorUnderTest> {
  const started = await new CollectorUnderTest().start();
  cleanUp.push(() => started.kill());
  return started;
}

async function agent(collectors: CollectorUnderTest[], ...flags: string[]): Promise<AgentUnderTest> {
  const addresses = collectors.map(({ address }) => address).join(",");
  const started = await startAgent(`--reporter.grpc.host-port=${addresses}`, ...flags);
  cleanUp.push(() => started.stop());
  return started;
}

const socket = createSocket("udp4").unref();

function send(
  to: AgentUnderTest,
  id: number,
  protocol: ThriftProtocol = "compact",
  service = "shop",
): Promise<void> {
  const packet = encodeAgentPacket(oneSpanBatch(service, id), protocol);
  return sendBytes(to, packet, protocol);
}

function sendBytes(to: AgentUnderTest, packet: Buffer, protocol: ThriftProtocol = "compact"): Promise<void> {
  return sendTo(protocol === "compact" ? to.compactPort : to.binaryPort, packet);
}

function sendTo(port: number, packet: Buffer): Promise<void> {
  return new Promise((resolve, reject) =>
    socket.send(packet, port, "127.0.0.1", (error) => (error === null ? resolve() : reject(error))),
  );
}

/** `emitZipkinBatch` of one span `get` of the service `old`, compact: trace 1, span 2, one annotation `sr`. */
const zipkinPacket = Buffer.concat([
  Buffer.from([0x82, 0x81, 0x01, 15]),
  Buffer.from("emitZipkinBatch"),
  // Field 1, a list of one struct: trace_id, name, id.
  Buffer.from([0x19, 0x1c, 0x16, 2, 0x28, 3]),
  Buffer.from("get"),
  Buffer.from([0x16, 4]),
  // Field 6, a list of one annotation: timestamp, value, host with ipv4, port and service name.
  Buffer.from([0x29, 0x1c, 0x16, 0xd0, 0x0f, 0x18, 2]),
  Buffer.from("sr"),
  Buffer.from([0x1c, 0x15, 2, 0x14, 4, 0x18, 3]),
  Buffer.from("old"),
  Buffer.from([0, 0]),
  // Field 8, an empty list of binary annotations; the ends of span and arguments.
  Buffer.from([0x29, 0x0c, 0, 0]),
]);

describe("tracing-agent", () => {
  test("hands packets of both protocols to the collector, with its own tags", async () => {
    const collecting = await collector();
    const running = await agent([collecting], "--agent.tags=zone=z1");
    await send(running, 1, "compact");
    await collecting.until(() => collecting.spanNames.length === 1);
    await send(running, 2, "binary", "till");
    await collecting.until(() => collecting.spanNames.length === 2);

    expect(collecting.batches).toMatchObject([
      {
        process: { serviceName: "shop", tags: [stringTag("hostname", "h"), stringTag("zone", "z1")] },
        spans: [{ operationName: "span 1", traceId: Buffer.from("00000000000000000000000000000001", "hex") }],
      },
      { process: { serviceName: "till" }, spans: [{ operationName: "span 2" }] },
    ]);
    await expect.poll(() => running.metric("reporter_spans_submitted_total"), patience).toEqual({ "": 2 });
    expect(await running.metric("thrift_udp_server_packets_processed_total")).toEqual({
      'model="tracing",protocol="compact"': 1,
      'model="tracing",protocol="binary"': 1,
      'model="zipkin",protocol="compact"': 0,
    });
    expect(await running.metric("connection_status_collector_connected")).toEqual({
      [`collector="${collecting.address}"`]: 1,
    });
    expect(await running.metric("thrift_udp_server_queue_size")).toEqual({
      'model="tracing",protocol="compact"': 0,
      'model="tracing",protocol="binary"': 0,
      'model="zipkin",protocol="compact"': 0,
    });
  });

  test("takes the spans of jaeger-client, with every type of tag", async () => {
    const collecting = await collector();
    const running = await agent([collecting]);
    const tracer = jaegerClient.initTracer(
      {
        serviceName: "old client",
        sampler: { type: "const", param: 1 },
        // This client supports only the binary protocol.
        reporter: { agentHost: "127.0.0.1", agentPort: running.binaryPort, flushIntervalMs: 10 },
      },
      { tags: { release: "1.2.3" } },
    );
    cleanUp.push(() => new Promise<void>((resolve) => tracer.close(resolve)));
    const parent = tracer.startSpan("parent");
    const span = tracer.startSpan("buy", { childOf: parent, startTime: 1_700_000_000_000.25 });
    span.addTags({ text: "grüße", whole: 42, fraction: 72.5, yes: true, no: false, object: { a: 1 } });
    span.setTag("bytes", Buffer.of(0, 128, 255));
    span.log({ event: "paid", amount: 3 }, 1_700_000_000_001);
    span.finish(1_700_000_000_002.25);
    parent.finish();
    await collecting.until(() => collecting.spanNames.length === 2);

    const carrier: Record<string, string> = {};
    tracer.inject(span, FORMAT_TEXT_MAP, carrier);
    const [traceId, spanId, parentId] = decodeURIComponent(carrier["uber-trace-id"]!).split(":");
    const [batch] = collecting.batches;
    const process = batch?.process;
    const received = batch?.spans.find(({ operationName }) => operationName === "buy");
    expect(process?.serviceName).toBe("old client");
    expect(process?.tags).toContainEqual(stringTag("release", "1.2.3"));
    expect(process?.tags.map(({ key }) => key)).toEqual(
      expect.arrayContaining(["client-uuid", "hostname", "ip", "jaeger.version"]),
    );
    expect(received).toMatchObject({
      traceId: Buffer.from(traceId!.padStart(32, "0"), "hex"),
      spanId: Buffer.from(spanId!.padStart(16, "0"), "hex"),
      flags: 1,
      startTime: { seconds: 1_700_000_000n, nanos: 250_000 },
      duration: { seconds: 0n, nanos: 2_000_000 },
      references: [{ spanId: Buffer.from(parentId!.padStart(16, "0"), "hex"), refType: 0 }],
      logs: [
        {
          timestamp: { seconds: 1_700_000_000n, nanos: 1_000_000 },
          fields: [stringTag("event", "paid"), float64Tag("amount", 3)],
        },
      ],
    });
    expect(received?.tags).toEqual([
      stringTag("text", "grüße"),
      float64Tag("whole", 42), // JavaScript's numbers are doubles, so the client sends them as doubles.
      float64Tag("fraction", 72.5),
      boolTag("yes", true),
      boolTag("no", false),
      stringTag("object", '{"a":1}'),
      binaryTag("bytes", Buffer.of(0, 128, 255)),
    ]);
  });

  test("keeps every type of tag, integers and bytes among them, in both protocols", async () => {
    const collecting = await collector();
    const running = await agent([collecting]);
    for (const protocol of ["compact", "binary"] as const) {
      const packet = encodeAgentPacket(
        oneSpanBatch("shop", 1, [
          { key: "s", vType: 0, vStr: "text" },
          { key: "d", vType: 1, vDouble: -0.5 },
          { key: "b", vType: 2, vBool: true },
          { key: "l", vType: 3, vLong: { high: -1, low: -42 } },
          { key: "x", vType: 4, vBinary: Buffer.of(0, 255) },
        ]),
        protocol,
      );
      const before = collecting.batches.length;
      await sendBytes(running, packet, protocol);
      await collecting.until(() => collecting.batches.length > before);
      expect(collecting.batches.at(-1)?.spans[0]?.tags).toEqual([
        stringTag("s", "text"),
        float64Tag("d", -0.5),
        boolTag("b", true),
        int64Tag("l", -42n),
        binaryTag("x", Buffer.of(0, 255)),
      ]);
    }
  });

  test("goes on after packets that are no spans", async () => {
    const collecting = await collector();
    const running = await agent([collecting], "--processor.tracing-compact.server-max-packet-size=1000");
    await sendBytes(running, Buffer.from("hello"));
    await sendBytes(running, Buffer.alloc(2_000, 0x82));
    await sendBytes(running, Buffer.alloc(0));
    await send(running, 5);
    await collecting.until(() => collecting.spanNames.length === 1);
    expect(await running.metric("thrift_udp_t_processor_handler_errors_total")).toEqual({
      'model="tracing",protocol="compact",reason="WIRE_MALFORMED"': 1,
      'model="tracing",protocol="compact",reason="WIRE_TRUNCATED"': 1,
    });
    expect(await running.metric("thrift_udp_server_packets_dropped_total")).toMatchObject({
      'model="tracing",protocol="compact",reason="too_large"': 1,
      'model="tracing",protocol="binary",reason="too_large"': 0,
    });
  });

  test("spreads its calls over several collectors", async () => {
    const both = [await collector(), await collector()];
    const running = await agent(both);
    await expect
      .poll(async () => Object.values(await running.metric("connection_status_collector_connected")))
      .toEqual([1, 1]);
    for (let id = 1; id <= 6; id++) {
      await send(running, id);
      await expect.poll(() => both.flatMap(({ spanNames }) => spanNames).length, patience).toBe(id);
    }
    expect(both.map(({ batches }) => batches.length)).toEqual([3, 3]);
  });

  test("says once that the collector is away and once that it is back, and what was lost", async () => {
    const collecting = await collector();
    const running = await agent([collecting], "--reporter.grpc.retry.max=0");
    await send(running, 1);
    await expect.poll(() => running.metric("reporter_spans_submitted_total"), patience).toEqual({ "": 1 });
    collecting.kill();
    await running.logged(/is away/);
    await send(running, 2);
    await running.logged(/dropping them/);
    await send(running, 3);
    await expect
      .poll(() => running.metric("reporter_spans_failures_total"))
      .toEqual({ 'reason="UNAVAILABLE"': 2 });
    await collecting.start();
    await running.logged(/^collector \S+ is back/);
    await send(running, 4);
    await running.logged(/takes spans again/);
    expect(collecting.spanNames).toEqual(["span 1", "span 4"]);
    const said = running.log.filter(({ msg }) => /collector/.test(msg)).map(({ level, msg }) => [level, msg]);
    expect(said).toEqual([
      ["warn", `collector ${collecting.address} is away: trying again until it is back`],
      ["warn", "no collector takes the spans: dropping them until one does"],
      ["info", `collector ${collecting.address} is back`],
      ["info", "a collector takes spans again"],
    ]);
    expect(await running.logged(/takes spans again/)).toMatchObject({ spansLost: 2 });
  });

  test("tries again what a collector cannot take now, and not what it refuses", async () => {
    const collecting = await collector();
    const running = await agent([collecting], "--reporter.grpc.retry.max=50");
    collecting.refuseWith = status.RESOURCE_EXHAUSTED;
    await send(running, 1);
    await collecting.until(() => collecting.refused === 2);
    collecting.refuseWith = undefined;
    await collecting.until(() => collecting.spanNames.length === 1);
    const retries = Object.values(await running.metric("reporter_retries_total"));
    expect(retries).toEqual([collecting.refused]);

    collecting.refuseWith = status.INVALID_ARGUMENT;
    await send(running, 2);
    await running.logged(/dropping them/);
    expect(await running.metric("reporter_spans_failures_total")).toEqual({ 'reason="INVALID_ARGUMENT"': 1 });
  });

  test("does not try again what is too large for a collector", async () => {
    const collecting = await collector();
    const running = await agent([collecting]);
    collecting.refuseWith = status.RESOURCE_EXHAUSTED;
    collecting.refuseDetails = "Received message larger than max (5000000 vs 4194304)";
    await send(running, 1);
    await running.logged(/dropping them/);
    expect(collecting.refused).toBe(1);
    expect(await running.metric("reporter_spans_failures_total")).toEqual({
      'reason="RESOURCE_EXHAUSTED"': 1,
    });
  });

  test("loses nothing when a collector is back before the last retry", async () => {
    const collecting = await collector();
    const running = await agent([collecting]);
    collecting.kill();
    await running.logged(/is away/);
    await send(running, 1);
    // The last pause has begun.
    await expect
      .poll(async () => Object.values(await running.metric("reporter_retries_total")), { timeout: 60_000 })
      .toEqual([3]);
    await collecting.start();
    await collecting.until(() => collecting.spanNames.length === 1);
    expect(await running.metric("reporter_spans_failures_total")).toEqual({});
  });

  test("sends what waits before it stops", async () => {
    const collecting = await collector();
    const running = await agent([collecting], "--processor.tracing-compact.workers=1");
    for (let id = 1; id <= 50; id++) {
      await send(running, id);
    }
    await expect
      .poll(() => running.metric("thrift_udp_server_packets_processed_total"))
      .toMatchObject({ 'model="tracing",protocol="compact"': 50 });
    expect(await running.stop()).toBe(0);
    expect(collecting.spanNames).toEqual(Array.from({ length: 50 }, (_, index) => `span ${index + 1}`));
  });

  test("stops soon although no collector is there", async () => {
    const collecting = await collector();
    const running = await agent([collecting], "--reporter.grpc.retry.max=1000");
    collecting.kill();
    await running.logged(/is away/);
    await send(running, 1);
    await expect
      .poll(async () => Object.keys(await running.metric("reporter_retries_total")))
      .toEqual(['reason="UNAVAILABLE"']);
    expect(await running.stop()).toBe(0);
  });

  test("keeps as many packets as its queue may have, and asks for the socket buffer that it is told", async () => {
    const running = await agent(
      [await collector()],
      "--reporter.grpc.host-port=127.0.0.1:9",
      "--reporter.grpc.retry.max=1000",
      "--processor.tracing-compact.workers=1",
      "--processor.tracing-compact.server-queue-size=2",
      "--processor.tracing-compact.server-socket-buffer-size=1000000000",
    );
    if (process.platform === "linux") {
      await running.logged(
        /^Thrift compact.*: socket buffer is \d+ bytes, not 1000000000: the system allows/,
      );
    }
    await send(running, 1);
    // The call is running, and occupies the only worker.
    await expect
      .poll(async () => Object.keys(await running.metric("reporter_retries_total")), patience)
      .toEqual(['reason="UNAVAILABLE"']);
    for (let id = 2; id <= 7; id++) {
      await send(running, id);
    }
    await expect
      .poll(() => running.metric("thrift_udp_server_packets_dropped_total"), patience)
      .toMatchObject({
        'model="tracing",protocol="compact",reason="queue_full"': 4,
        'model="tracing",protocol="binary",reason="queue_full"': 0,
      });
  });

  test("takes packets on the port of the oldest clients, of both kinds", async () => {
    const collecting = await collector();
    const running = await agent([collecting], "--agent.tags=zone=z1");
    await sendTo(running.zipkinPort, encodeAgentPacket(oneSpanBatch("shop", 3), "compact"));
    await collecting.until(() => collecting.spanNames.length === 1);
    await sendTo(running.zipkinPort, zipkinPacket);
    await collecting.until(() => collecting.spanNames.length === 2);
    expect(collecting.batches.at(-1)).toMatchObject({
      process: { serviceName: "old", tags: expect.arrayContaining([stringTag("zone", "z1")]) },
      spans: [{ operationName: "get", spanId: Buffer.from("0000000000000002", "hex") }],
    });
    expect(await running.metric("thrift_udp_server_packets_processed_total")).toMatchObject({
      'model="zipkin",protocol="compact"': 2,
    });
  });

  test("tells clients how to sample, as the collector says", async () => {
    const collecting = await collector();
    collecting.strategies = {
      shop: { strategyType: 0, probabilisticSampling: { samplingRate: 0.25 } },
      "": { strategyType: 1, rateLimitingSampling: { maxTracesPerSecond: 40_000 } },
    };
    const running = await agent([collecting]);
    const ask = async (path: string, init?: RequestInit) => {
      const answer = await fetch(running.http + path, init);
      return [answer.status, answer.headers.get("content-type"), await answer.text()];
    };
    const [json, text] = ["application/json", "text/plain; charset=utf-8"];
    const shop = '"probabilisticSampling":{"samplingRate":0.25}}';
    expect(await ask("/sampling?service=shop")).toEqual([
      200,
      json,
      `{"strategyType":"PROBABILISTIC",${shop}`,
    ]);
    expect(await ask("/?service=shop")).toEqual([200, json, `{"strategyType":0,${shop}`]);
    expect(await ask("/sampling?service=")).toEqual([
      200,
      json,
      '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":40000}}',
    ]);
    expect(await ask("/?service=")).toEqual([500, text, "cannot marshall to JSON\n"]);
    const once = [400, text, "'service' parameter must be provided once\n"];
    expect(await ask("/sampling")).toEqual(once);
    expect(await ask("/sampling?service=a&service=b")).toEqual(once);
    expect(await ask("/baggageRestrictions?service=shop")).toEqual([
      500,
      text,
      "collector error: baggage not implemented\n",
    ]);
    expect(await ask("/other")).toEqual([404, text, "404 page not found\n"]);
    expect((await ask("/sampling?service=shop", { method: "POST", body: "x" }))[0]).toBe(405);
    expect(await running.metric("http_server_requests_total")).toEqual({
      'type="sampling"': 2,
      'type="sampling-legacy"': 1,
    });

    collecting.kill();
    await running.logged(/is away/);
    expect(await ask("/sampling?service=shop")).toEqual([
      500,
      text,
      expect.stringMatching(
        /^collector error: failed to get sampling strategy: rpc error: code = Unavailable desc = no collector is connected: ./,
      ),
    ]);
    await collecting.start();
    await running.logged(/^collector \S+ is back/);
    expect((await ask("/sampling?service=shop"))[0]).toBe(200);
    expect(await running.metric("collector_proxy_total")).toEqual({
      'endpoint="sampling",protocol="grpc",result="ok"': 5,
      'endpoint="sampling",protocol="grpc",result="err"': 1,
      'endpoint="baggage",protocol="grpc",result="err"': 1,
    });
  });

  test("calls over TLS, shows its certificate, and takes none that does not fit", async () => {
    const authority = createTestAuthority();
    const files = createTlsFolder(authority.issue("agent"), authority.cert);
    cleanUp.push(() => files.remove());
    const { cert, key } = authority.issue("collector.test");
    const credentials = ServerCredentials.createSsl(
      Buffer.from(authority.cert),
      [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }],
      true,
    );
    const collecting = await new CollectorUnderTest(credentials).start();
    cleanUp.push(() => collecting.kill());
    const tls = ["--reporter.grpc.tls.enabled", `--reporter.grpc.tls.ca=${files.caPath}`];
    const name = "--reporter.grpc.tls.server-name=collector.test";
    const own = [`--reporter.grpc.tls.cert=${files.certPath}`, `--reporter.grpc.tls.key=${files.keyPath}`];

    const running = await agent([collecting], ...tls, name, ...own);
    await send(running, 1);
    await collecting.until(() => collecting.spanNames.length === 1);

    const wrongName = await agent([collecting], ...tls, ...own);
    expect((await wrongName.logged(/is away/)).reason).toMatch(/127\.0\.0\.1/);
    const noCertificate = await agent([collecting], ...tls, name);
    expect((await noCertificate.logged(/is away/)).reason).toMatch(/certificate|closed/);
    await expect(agent([collecting], name)).rejects.toThrow(
      "reporter.grpc.tls.* options cannot be used when reporter.grpc.tls.enabled is false",
    );
  });

  test("lets jaeger-client sample as the collector says", async () => {
    const collecting = await collector();
    collecting.strategies = { shop: { strategyType: 0, probabilisticSampling: { samplingRate: 1 } } };
    const running = await agent([collecting]);
    const tracer = jaegerClient.initTracer(
      {
        serviceName: "shop",
        // Samples no span until the client has received a strategy.
        sampler: {
          type: "remote",
          param: 0,
          host: "127.0.0.1",
          port: Number(new URL(running.http).port),
          refreshIntervalMs: 50,
        },
        reporter: { agentHost: "127.0.0.1", agentPort: running.binaryPort, flushIntervalMs: 10 },
      },
      { tags: {} },
    );
    cleanUp.push(() => new Promise<void>((resolve) => tracer.close(resolve)));
    await expect
      .poll(() => {
        tracer.startSpan("sampled").finish();
        return collecting.batches[0]?.spans[0]?.tags;
      })
      .toContainEqual(float64Tag("sampler.param", 1));
  });

  test("loses nothing when one of two collectors is killed", async () => {
    const both = [await collector(), await collector()];
    const running = await agent(both);
    await expect
      .poll(async () => Object.values(await running.metric("connection_status_collector_connected")))
      .toEqual([1, 1]);
    for (let id = 1; id <= 60; id++) {
      await send(running, id);
      if (id === 20) {
        both[0]?.kill();
      }
      if (id === 40) {
        await both[0]?.start();
      }
    }
    const wanted = Array.from({ length: 60 }, (_, index) => `span ${index + 1}`);
    await expect
      .poll(() => [...new Set(both.flatMap(({ spanNames }) => spanNames))].sort(), { timeout: 60_000 })
      .toEqual(wanted.sort());
    expect(await running.metric("reporter_spans_failures_total")).toEqual({});
  });

  test("counts what jaeger-client says that it lost", async () => {
    const collecting = await collector();
    const running = await agent([collecting]);
    const stats = (seqNo: number, lost: number): ThriftBatch => ({
      ...oneSpanBatch("shop", seqNo),
      process: { serviceName: "shop", tags: [{ key: "client-uuid", vType: 0, vStr: "c1" }] },
      seqNo: { high: 0, low: seqNo },
      stats: {
        fullQueueDroppedSpans: { high: 0, low: lost },
        tooLargeDroppedSpans: { high: 0, low: 0 },
        failedToEmitSpans: { high: 0, low: 0 },
      },
    });
    for (const [seqNo, lost] of [
      [1, 0],
      [2, 5],
      [2, 5],
    ] as const) {
      await sendBytes(running, encodeAgentPacket(stats(seqNo, lost), "compact"));
    }
    await expect
      .poll(() => running.metric("client_stats_batches_received_total"), patience)
      .toEqual({ "": 3 });
    expect(await running.metric("client_stats_spans_dropped_total")).toEqual({ 'cause="full-queue"': 5 });
    expect(await running.metric("client_stats_connected_clients")).toEqual({ "": 1 });
  });

  test("is one file when it is built, in the process that was started", async () => {
    if (process.env.TEST_BUILT_PROGRAMS === undefined) {
      // With TEST_BUILT_PROGRAMS the agent is already built, and other tests may be running it.
      execFileSync(process.execPath, [fileURLToPath(new URL("../build/bundle.ts", import.meta.url))]);
    }
    const collecting = await collector();
    const config = join(mkdtempSync(join(tmpdir(), "agent-")), "agent.yaml");
    cleanUp.push(() => rmSync(dirname(config), { recursive: true }));
    writeFileSync(config, "agent.tags: zone=z9\n");
    const flags = [`--reporter.grpc.host-port=${collecting.address}`, `--config-file=${config}`];
    const running = await startBuiltAgent(...flags);
    cleanUp.push(() => running.stop());
    await send(running, 1);
    await send(running, 2, "binary");
    await collecting.until(() => collecting.spanNames.length === 2);
    expect(collecting.batches[0]?.process?.tags).toContainEqual(stringTag("zone", "z9"));
    if (process.platform === "linux" && Number.parseInt(process.versions.node, 10) >= knownSinceMajor) {
      const { nodeOptions } = readProgram(new URL("..", import.meta.url));
      const commandLine = readFileSync(`/proc/${running.pid}/cmdline`, "utf8").split("\0");
      expect(commandLine.slice(1, 1 + nodeOptions.length)).toEqual(nodeOptions);
      // The serving stage got checked options, and has not loaded the library that checks them.
      const environment = readFileSync(`/proc/${running.pid}/environ`, "utf8").split("\0");
      const checked = environment.find((each) => each.startsWith("PROGRAM_CHECKED_OPTIONS="));
      expect(checked).toContain('"agent.tags":["zone=z9"]');
    }
    const served = readFileSync(new URL("../dist/tracing-agent-serve.cjs", import.meta.url), "utf8");
    expect(served).not.toContain("ZodError");
    expect(await running.stop()).toBe(0);
  });

  test("says which port is taken and by which option to move it", async () => {
    const collecting = await collector();
    const running = await agent([collecting]);
    const taken = `127.0.0.1:${running.compactPort}`;
    await expect(
      agent([collecting], `--processor.tracing-compact.server-host-port=${taken}`),
    ).rejects.toThrow(
      `Thrift compact over UDP: address ${taken} is taken by another program: stop that program, ` +
        "or choose another with --processor.tracing-compact.server-host-port",
    );
  });
});
