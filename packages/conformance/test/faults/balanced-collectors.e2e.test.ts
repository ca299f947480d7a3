// The web server in front of two collectors: requests of one connection go to both, and killing one collector loses no
// acknowledged span.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { expect, test } from "vitest";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { anotherCollector } from "./another-collector.ts";
import { openFaultProcesses } from "./fault-processes.ts";
import { newSeed, randomOf } from "./seeded-random.ts";
import { SpanLedger } from "./span-ledger.ts";
import { SpanSenders } from "./span-senders.ts";

const withinMs = 60_000;
const moreRequests = 5;
const receivedSpans = /^tracing_collector_spans_received_total\{.*\} [1-9]/m;

function proxyServer(listen: string, dials: readonly string[], isGrpc: boolean): object {
  const proxy = {
    handler: "reverse_proxy",
    upstreams: dials.map((dial) => ({ dial })),
    load_balancing: { selection_policy: { policy: "round_robin" } },
    health_checks: { passive: { fail_duration: "500ms" } },
    ...(isGrpc ? { transport: { protocol: "http", versions: ["h2c"] } } : {}),
  };
  const protocols = isGrpc ? { protocols: ["h1", "h2", "h2c"] } : {};
  return {
    listen: [listen],
    automatic_https: { disable: true },
    routes: [{ handle: [proxy] }],
    ...protocols,
  };
}

test("a collector killed behind the server: every acknowledged span is found once", async () => {
  const backend = await openFaultProcesses();
  const doors = ["otlpGrpc", "otlpHttp", "apiV2Grpc", "thriftHttp", "zipkinHttp"] as const;
  const { process: other, addresses: second } = await anotherCollector(backend);
  const [serverAdmin = "", ...free] = await freeAddresses(doors.length + 1);
  const fronts = Object.fromEntries(doors.map((door, index) => [door, free[index] ?? ""]));
  const config = join(backend.folder, "server.json");
  const servers = Object.fromEntries(
    doors.map((door) => [
      door,
      proxyServer(fronts[door] ?? "", [backend.addresses[door], second[door]], door.endsWith("Grpc")),
    ]),
  );
  writeFileSync(config, JSON.stringify({ apps: { http: { servers } } }));
  const server = new TestedProcess(
    "admin-server",
    "admin-server/bin/server.ts",
    ["run", "--config", config],
    `http://${serverAdmin}/config/`,
    {
      SERVER_ADMIN: serverAdmin,
      XDG_CONFIG_HOME: join(backend.folder, "server-config"),
      XDG_DATA_HOME: join(backend.folder, "server-data"),
    },
  );
  const ledger = new SpanLedger();
  try {
    await backend.storage.start();
    await Promise.all([backend.collector.start(), other.start(), server.start()]);
    const senders = new SpanSenders({
      addresses: fronts as unknown as typeof backend.addresses,
      ledger,
      random: randomOf(newSeed()),
    });
    try {
      await senders.more(moreRequests, withinMs);
      await other.end("SIGKILL");
      await senders.more(moreRequests, withinMs);
      await other.start();
      await senders.more(moreRequests, withinMs);
      // Requests from before the kill do not count: this collector must receive new requests.
      await eventually(async () => {
        const metrics = await (await fetch(other.metricsUrl)).text();
        if (!receivedSpans.test(metrics)) {
          throw new Error(`nothing came in again: ${metrics}`);
        }
      }, withinMs);
    } finally {
      await senders.stop();
    }
    const report = await eventually(async () => {
      const found = await ledger.compare(backend.storageUrl);
      if (found.found < found.acknowledged) {
        throw new Error(`${found.found} of ${found.acknowledged} spans: ${JSON.stringify(found)}`);
      }
      return found;
    }, withinMs);
    expect(report, server.log).toMatchObject({ missing: 0, duplicates: 0 });
    expect(Object.keys(report.acknowledgedByDoor)).toHaveLength(doors.length);
    expect(await (await fetch(backend.collector.metricsUrl)).text()).toMatch(receivedSpans);
  } finally {
    await server.end("SIGTERM");
    await other.end("SIGKILL");
    await backend.close();
  }
}, 240_000);
