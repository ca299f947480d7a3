// Sends spans over the remote storage API between every pair of processes that implement it. The combinations of
// collector, query service and storage, ours and the public model's, and our storage as a bridge to another one. The
// page docs/conformance.md explains how to get its programs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { ask, type UiTrace } from "../../src/tracing-api/ask.ts";
import { type SampleTrace, sampleTrace, visibleWithinMs } from "../../src/tracing-api/sample-trace.ts";
import { PeerProcess, peersFolder } from "./peer-process.ts";

interface Ended {
  end(signal: NodeJS.Signals): Promise<unknown>;
}

const processes: Ended[] = [];
const folder = mkdtempSync(join(tmpdir(), "remote-storage-"));

afterAll(async () => {
  for (const process of processes) {
    await process.end("SIGKILL");
  }
  rmSync(folder, { recursive: true, force: true });
});

async function backend(name: string, args: readonly string[], admin: string): Promise<TestedProcess> {
  const own = ["--admin.http.host-port", admin];
  const process = new TestedProcess(name, `${name}/bin/${name}.ts`, [...args, ...own], `http://${admin}/`);
  processes.push(process);
  await process.start();
  return process;
}

async function peer(
  name: string,
  storageType: string,
  admin: string,
  args: readonly string[],
): Promise<void> {
  const process = new PeerProcess(name, storageType, admin, args);
  processes.push(process);
  await process.start();
}

interface OurStorage {
  /** host:port of its remote storage API. */
  readonly api: string;
  /** host:port of ClickHouse's HTTP protocol. */
  readonly http: string;
  readonly process: TestedProcess;
}

async function startOurStorage(): Promise<OurStorage> {
  const [http = "", api = "", admin = ""] = await freeAddresses(3);
  const args = ["--storage.data-dir", join(folder, `storage-${api}`), "--storage.http.host-port", http];
  const process = await backend("tracing-storage", [...args, "--grpc.host-port", api], admin);
  return { api, http, process };
}

async function startBridge(http: string): Promise<string> {
  const [api = "", admin = ""] = await freeAddresses(2);
  await backend("tracing-storage", ["--clickhouse.url", `http://${http}`, "--grpc.host-port", api], admin);
  return api;
}

/** @returns host:port of OTLP over HTTP */
async function startOurCollector(storage: string): Promise<string> {
  const [otlp = "", otlpGrpc = "", grpc = "", http = "", admin = ""] = await freeAddresses(5);
  await backend(
    "tracing-collector",
    [
      ...["--span-storage.type", "grpc", "--grpc-storage.server", storage],
      ...[
        "--collector.journal.dir",
        join(folder, `journal-${otlp}`),
        "--collector.otlp.http.host-port",
        otlp,
      ],
      ...["--collector.otlp.grpc.host-port", otlpGrpc, "--collector.grpc-server.host-port", grpc],
      ...["--collector.http-server.host-port", http],
    ],
    admin,
  );
  return otlp;
}

/** @returns host:port of the HTTP API */
async function startOurQuery(storage: string): Promise<string> {
  const [http = "", grpc = "", admin = ""] = await freeAddresses(3);
  await backend(
    "tracing-query",
    [
      ...["--span-storage.type", "grpc", "--grpc-storage.server", storage],
      ...["--query.http-server.host-port", http, "--query.grpc-server.host-port", grpc],
    ],
    admin,
  );
  return http;
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

async function send(collector: string, { otlpJson }: SampleTrace): Promise<void> {
  const { status, text } = await ask(`http://${collector}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(otlpJson),
  });
  expect(text).not.toContain("error");
  expect(status).toBe(200);
}

async function data<Data>(query: string, path: string): Promise<Data> {
  const { status, text } = await ask(`http://${query}/api/${path}`);
  if (status !== 200) {
    throw new Error(`${path}: ${status} ${text}`);
  }
  return (JSON.parse(text) as { data: Data }).data;
}

/** A trace without irrelevant order: spans by id, tags and fields by key, processes by service. */
function seen(traces: readonly UiTrace[]): unknown {
  const byKey = (tags: UiTrace["spans"][0]["tags"]) =>
    tags.map(({ key, type, value }) => `${key} ${type} ${String(value)}`).sort();
  return traces.map(({ traceID, spans, processes: all }) => ({
    traceID,
    spans: spans
      .map(({ processID, tags, logs, ...facts }) => ({
        ...facts,
        tags: byKey(tags),
        logs: logs.map(({ timestamp, fields }) => ({ timestamp, fields: byKey(fields) })),
        process: { service: all[processID]?.serviceName, tags: byKey(all[processID]?.tags ?? []) },
      }))
      .sort((one, other) => (one.spanID < other.spanID ? -1 : 1)),
  }));
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
  let storage: OurStorage;
  let bridge: string;
  beforeAll(async () => {
    storage = await startOurStorage();
    bridge = await startBridge(storage.http);
  }, 180_000);

  test("keeps what our collector writes, and gives it to our query service, also over a bridge", async () => {
    const collector = await startOurCollector(storage.api);
    const queries = await Promise.all([startOurQuery(storage.api), startOurQuery(bridge)]);
    await expectToBeFound(collector, queries);
  }, 180_000);

  test.skipIf(peersFolder === undefined)(
    "keeps what the public model's collector writes, and gives it to its query service and to ours (skipped without $PEERS)",
    async () => {
      const collector = await startPublicCollector(bridge);
      const queries = await Promise.all([startPublicQuery(storage.api), startOurQuery(storage.api)]);
      await expectToBeFound(collector, queries);
    },
    180_000,
  );
});

test("our storage, killed while our collector writes, has every acknowledged trace when it is back", async () => {
  const { api, process } = await startOurStorage();
  const [collector, query] = await Promise.all([startOurCollector(api), startOurQuery(api)]);
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
    const collector = await startOurCollector(storage);
    const queries = await Promise.all([startOurQuery(storage), startPublicQuery(storage)]);
    await expectToBeFound(collector, queries);
  },
  180_000,
);
