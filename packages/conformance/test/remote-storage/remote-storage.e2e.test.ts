// Sends spans over the remote storage API between every pair of processes that implement it. The combinations of
// collector, query service and storage, ours and the public model's, and our storage as a bridge to another one. The
// page docs/conformance.md explains how to get its programs.

import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { ask, type UiTrace } from "../../src/tracing-api/ask.ts";
import { type SampleTrace, sampleTrace, visibleWithinMs } from "../../src/tracing-api/sample-trace.ts";
import { Backends, type StartedStorage } from "./backends.ts";
import { PeerProcess, peersFolder } from "./peer-process.ts";
import { data, seen, send } from "./trace-views.ts";

const backends = new Backends("remote-storage-");
afterAll(() => backends.close());

async function peer(
  name: string,
  storageType: string,
  admin: string,
  args: readonly string[],
): Promise<void> {
  const process = new PeerProcess(name, storageType, admin, args);
  backends.keep(process);
  await process.start();
}

async function startPublicCollector(storage: string): Promise<string> {
  const [otlp = "", otlpGrpc = "", grpc = "", http = "", admin = ""] = await freeAddresses(5);
  await peer("jaeger-collector", "grpc", admin, [
    ...[`--grpc-storage.server=${storage}`, `--collector.otlp.http.host-port=${otlp}`],
    ...[`--collector.otlp.grpc.host-port=${otlpGrpc}`, `--collector.grpc-server.host-port=${grpc}`],
    `--collector.http-server.host-port=${http}`,
  ]);
  return otlp;
}

async function startPublicQuery(storage: string): Promise<string> {
  const [http = "", grpc = "", admin = ""] = await freeAddresses(3);
  await peer("jaeger-query", "grpc", admin, [
    ...[`--grpc-storage.server=${storage}`, `--query.http-server.host-port=${http}`],
    `--query.grpc-server.host-port=${grpc}`,
  ]);
  return http;
}

async function startPublicStorage(): Promise<string> {
  const [api = "", admin = ""] = await freeAddresses(2);
  await peer("jaeger-remote-storage", "memory", admin, [`--grpc.host-port=${api}`]);
  return api;
}

/** Sends a trace through the collector, and looks for it in every way through the query services. */
async function expectToBeFound(collector: string, queries: readonly string[]): Promise<void> {
  const trace = sampleTrace();
  await send(collector, trace);
  const views = [];
  for (const query of queries) {
    const found = await eventually(async () => {
      const traces = await data<UiTrace[]>(query, `traces/${trace.traceId}`);
      expect(traces[0]?.spans).toHaveLength(2);
      return traces;
    }, visibleWithinMs);
    const search = new URLSearchParams({
      service: trace.service,
      operation: "GET /orders",
      tags: JSON.stringify({ "http.request.method": "GET" }),
      minDuration: "250ms",
      limit: "5",
    });
    expect(seen(await data(query, `traces?${search}`))).toEqual(seen(found));
    // Lists of names are cached for a while.
    await eventually(
      async () => expect(await data(query, "services")).toContain(trace.service),
      visibleWithinMs,
    );
    const operations = await data<{ name: string; spanKind: string }[]>(
      query,
      `operations?service=${trace.service}`,
    );
    expect(operations).toContainEqual({ name: "GET /orders", spanKind: "server" });
    const missing = await ask(`http://${query}/api/traces/${"9".repeat(32)}`);
    expect(missing.status).toBe(404);
    views.push(seen(found));
  }
  for (const view of views) {
    expect(view).toEqual(views[0]);
  }
}

describe("our storage", () => {
  let storage: StartedStorage;
  let bridge: string;
  beforeAll(async () => {
    storage = await backends.storage();
    bridge = await backends.bridge(storage.http);
  }, 180_000);

  test("keeps what our collector writes, and gives it to our query service, also over a bridge", async () => {
    const collector = await backends.collector(storage.api);
    const queries = await Promise.all([backends.query(storage.api), backends.query(bridge)]);
    await expectToBeFound(collector, queries);
  }, 180_000);

  test.skipIf(peersFolder === undefined)(
    "keeps what the public model's collector writes, and gives it to its query service and to ours (skipped without $PEERS)",
    async () => {
      const collector = await startPublicCollector(bridge);
      const queries = await Promise.all([startPublicQuery(storage.api), backends.query(storage.api)]);
      await expectToBeFound(collector, queries);
    },
    180_000,
  );
});

test("our storage, killed while our collector writes, has every acknowledged trace when it is back", async () => {
  const { api, process } = await backends.storage();
  const [collector, query] = await Promise.all([backends.collector(api), backends.query(api)]);
  const traces: SampleTrace[] = [];
  for (let count = 0; count < 60; count++) {
    if (count === 20) {
      await process.end("SIGKILL");
    }
    if (count === 40) {
      await process.start();
    }
    const trace = sampleTrace();
    await send(collector, trace);
    traces.push(trace);
  }
  for (const { traceId } of traces) {
    const [found] = await eventually(() => data<UiTrace[]>(query, `traces/${traceId}`), 20_000);
    expect(found?.spans).toHaveLength(2);
  }
}, 180_000);

test.skipIf(peersFolder === undefined)(
  "the public model's storage keeps what our collector writes, and gives it to our query service and to its own (skipped without $PEERS)",
  async () => {
    const storage = await startPublicStorage();
    const collector = await backends.collector(storage);
    const queries = await Promise.all([backends.query(storage), startPublicQuery(storage)]);
    await expectToBeFound(collector, queries);
  },
  180_000,
);
