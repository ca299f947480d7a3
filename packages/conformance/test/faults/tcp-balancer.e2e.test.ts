// Two collectors behind a balancer for plain TCP, which chooses one for each connection.

import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as HttpExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { FaultLink } from "../chaos/fault-link.ts";
import { anotherCollector } from "./another-collector.ts";
import { metricOf, openFaultProcesses } from "./fault-processes.ts";
import { receivedSpans, receives } from "./received-spans.ts";
import { SdkSender } from "./sdk-sender.ts";
import { newSeed, randomOf } from "./seeded-random.ts";
import { SpanLedger } from "./span-ledger.ts";
import { SpanSenders } from "./span-senders.ts";
import { TcpBalancer } from "./tcp-balancer.ts";

const withinMs = 60_000;
const lanesPerDoor = 2;
const maxSpans = 10;
const doors = ["otlpGrpc", "otlpHttp", "apiV2Grpc", "thriftHttp", "zipkinHttp"] as const;
const options = [
  ...[
    "--collector.otlp.grpc.max-connection-age",
    "1s",
    "--collector.otlp.grpc.max-connection-age-grace",
    "10s",
  ],
  ...["--collector.grpc-server.max-connection-age", "1s"],
  ...["--collector.grpc-server.max-connection-age-grace", "10s"],
  ...["--collector.otlp.http.idle-timeout", "1s"],
];

test("collectors behind a balancer of TCP connections: one that came later, and one that is killed", async () => {
  const backend = await openFaultProcesses({ collectorOptions: options });
  const link = new FaultLink(new URL(backend.storageUrl).host);
  const late = backend.collector;
  const { process: early, addresses } = await anotherCollector(backend, {
    storageUrl: `http://${await link.open()}`,
    options,
  });
  const balancers = [...doors, "otlpGrpc" as const, "otlpHttp" as const].map((door) => ({
    door,
    balancer: new TcpBalancer(addresses[door]),
  }));
  const fronts = await Promise.all(balancers.map(({ balancer }) => balancer.open()));
  const ledger = new SpanLedger();
  const [frontOfGrpc = "", frontOfHttp = ""] = fronts.slice(doors.length);
  const balancerOfHttp = balancers.at(-1)?.balancer;
  const overGrpc = new SdkSender({
    service: "sdk-grpc",
    exporter: new GrpcExporter({ url: `http://${frontOfGrpc}`, timeoutMillis: withinMs }),
    ledger,
  });
  const overHttp = new SdkSender({
    service: "sdk-http",
    exporter: new HttpExporter({ url: `http://${frontOfHttp}/v1/traces`, timeoutMillis: withinMs }),
    ledger,
  });
  const sdks = [overGrpc, overHttp];
  try {
    await backend.storage.start();
    await early.start();
    const senders = new SpanSenders({
      addresses: Object.fromEntries(
        doors.map((door, index) => [door, fronts[index] ?? ""]),
      ) as unknown as typeof addresses,
      ledger,
      random: randomOf(newSeed()),
      lanesPerDoor,
      maxSpans,
    });
    const all = async (count: number) => {
      await Promise.all([senders.more(count, withinMs), ...sdks.map((sdk) => sdk.more(count, withinMs))]);
    };
    try {
      await all(2);

      // A collector that clients do not know yet, while they are connected. Clients over gRPC are asked to reconnect.
      await late.start();
      for (const { door, balancer } of balancers) {
        balancer.backends.push(backend.addresses[door]);
      }
      await receives(late, { labels: 'svc="sdk-grpc"', first: () => overGrpc.send() }, withinMs);
      await receives(late, { labels: 'format="proto"' }, withinMs);
      // An HTTP client reconnects after its connection was idle.
      const sendRested = async () => {
        await eventually(async () => expect(balancerOfHttp?.connections).toBe(0), withinMs);
        await overHttp.send();
      };
      await receives(late, { labels: 'svc="sdk-http"', first: sendRested }, withinMs);
      expect(sdks.map(({ losses }) => losses)).toEqual([[], []]);

      // Requests that the first collector accepts from now on stay in its journal until its restart. Some of these
      // requests must be stored before the kill.
      link.set("cut");
      await receives(
        early,
        { moreThan: (await receivedSpans(early)) + doors.length * lanesPerDoor * maxSpans },
        withinMs,
      );
      await early.end("SIGKILL");
      await all(5);
    } finally {
      await senders.stop();
    }
    await eventually(
      async () => expect(await metricOf(late, "tracing_collector_queue_length")).toBe(0),
      withinMs,
    );
    expect((await ledger.compare(backend.storageUrl)).missing).toBeGreaterThan(0);

    link.set("open");
    await early.start();
    await receives(early, { labels: 'svc="sdk-grpc"', first: () => overGrpc.send() }, withinMs);
    const report = await eventually(async () => {
      const found = await ledger.compare(backend.storageUrl);
      if (found.missing > 0) {
        throw new Error(JSON.stringify(found));
      }
      return found;
    }, withinMs);
    expect(report).toMatchObject({ duplicates: 0, problems: [] });
    // Over HTTP the SDK repeats requests that were reset.
    expect(overHttp.losses).toEqual([]);
    expect(Object.keys(report.acknowledgedByDoor)).toHaveLength(doors.length + sdks.length);
  } finally {
    await Promise.all(sdks.map((sdk) => sdk.close()));
    await Promise.all(balancers.map(({ balancer }) => balancer.close()));
    await early.end("SIGKILL");
    await link.close();
    await backend.close();
  }
}, 300_000);
