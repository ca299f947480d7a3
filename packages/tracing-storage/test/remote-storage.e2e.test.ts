// Real processes, including the engine: data acknowledged over the remote storage API survives, and a bridge stores
// nothing.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { freeAddresses, testedProgram } from "lifecycle/testing";
import type { TraceStore } from "storage/api";
import { openGrpcStore } from "storage/grpc";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Span } from "wire/model";
import { SpanRowWriter } from "wire/rows";
import { ask, makeFolder, removeFolder, runToEnd, startStorage } from "./running-storage.ts";

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  await removeFolder(folder);
});

/** A process that listens for no ClickHouse HTTP, so `startStorage` would wait for ever. */
function startBridge(dataDir: string, flags: readonly string[]): void {
  const program = testedProgram(join(import.meta.dirname, "../bin/tracing-storage.ts"));
  const child = spawn(process.execPath, [program, `--storage.data-dir=${dataDir}`, ...flags], {
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
}

let spans = 0;

function newSpan(): Span {
  const id = (++spans).toString(16);
  return {
    traceId: id.padStart(32, "0"),
    spanId: id.padStart(16, "0"),
    parentSpanId: "",
    traceState: "",
    flags: 1,
    name: "GET /",
    kind: "unspecified",
    startTimeUnixNano: 1_784_721_600_000_000_000n + BigInt(spans),
    durationNano: 5n,
    attributes: [],
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: { code: "unset", message: "" },
    resource: { serviceName: "shop", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    format: "proto",
    warnings: [],
  };
}

async function write(store: TraceStore, ...written: readonly Span[]): Promise<void> {
  const writer = new SpanRowWriter();
  for (const span of written) {
    writer.append(span, "");
  }
  await store.writer.writeSpans(writer.take(), { deduplicationToken: `token of ${written[0]?.spanId}` });
}

function openStore(server: string): TraceStore {
  const store = openGrpcStore({ server });
  onTestFinished(() => store.close());
  return store;
}

async function ready(store: TraceStore): Promise<void> {
  await expect.poll(() => store.ready().then(() => "ready", String), { timeout: 60_000 }).toBe("ready");
}

test.each(["true", "false"])(
  "has every span once that it acknowledged before it was killed, streams %s",
  async (streams) => {
    const [api = ""] = await freeAddresses(1);
    const flags = [`--grpc.host-port=${api}`, `--grpc.streaming-writes=${streams}`];
    const first = await startStorage(folder, ...flags);
    const store = openStore(api);
    await ready(store);
    const acknowledged: Span[] = [];
    const killed = new AbortController();
    const sender = async () => {
      while (!killed.signal.aborted) {
        const block = [newSpan(), newSpan(), newSpan()];
        await write(store, ...block).then(
          () => acknowledged.push(...block),
          () => {},
        );
      }
    };
    const senders = Promise.all(Array.from({ length: 8 }, sender));
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(100);
    await first.kill();
    killed.abort();
    await senders;

    const second = await startStorage(folder, ...flags);
    onTestFinished(() => second.kill());
    await ready(store);
    const traces = await store.reader.getTraces(acknowledged.map(({ traceId }) => traceId));
    expect(traces.map((trace) => trace.spans.length)).toEqual(acknowledged.map(() => 1));
    expect(await second.stop()).toBe(0);
  },
  60_000,
);

test("is a bridge with --clickhouse.url: it opens no data folder, and keeps spans in the cluster", async () => {
  const [api = "", bridgeApi = "", admin = ""] = await freeAddresses(3);
  const cluster = await startStorage(join(folder, "cluster"), `--grpc.host-port=${api}`);
  onTestFinished(() => cluster.kill());
  const unused = join(folder, "unused");
  startBridge(unused, [
    ...[`--clickhouse.url=${cluster.url}`, `--grpc.host-port=${bridgeApi}`],
    `--admin.http.host-port=${admin}`,
  ]);
  const store = openStore(bridgeApi);
  await ready(store);
  const span = newSpan();
  await write(store, span);
  expect(await openStore(api).reader.getTraces([span.traceId])).toEqual([
    { traceId: span.traceId, spans: [span] },
  ]);
  expect(await ask(cluster.url, "SELECT count() FROM tracing.spans")).toBe("1");
  expect(existsSync(unused)).toBe(false);
  const metrics = await fetch(`http://${admin}/metrics`).then((answer) => answer.text());
  expect(metrics).toContain("jaeger_storage_grpc_spans_written_total 1");
}, 180_000);

test("is healthy as a bridge while the cluster answers, and says so when it does not", async () => {
  const [bridgeApi = "", admin = "", clusterHttp = ""] = await freeAddresses(3);
  startBridge(join(folder, "unused"), [
    ...[`--clickhouse.url=http://${clusterHttp}`, `--grpc.host-port=${bridgeApi}`],
    `--admin.http.host-port=${admin}`,
  ]);
  const health = () =>
    fetch(`http://${admin}/`).then(
      ({ status }) => status,
      () => 0,
    );
  const within = { timeout: 60_000 };
  await expect.poll(health, within).toBe(503);
  const cluster = await startStorage(
    join(folder, "cluster"),
    `--storage.http.host-port=${clusterHttp}`,
    "--grpc.host-port=",
  );
  onTestFinished(() => cluster.kill());
  await expect.poll(health, within).toBe(200);
}, 180_000);

test("says what is wrong when there is nothing to do, or its port is taken", async () => {
  const nothing = await runToEnd(folder, "--clickhouse.url=http://127.0.0.1:1", "--grpc.host-port=");
  expect(nothing.exitCode).toBe(1);
  expect(nothing.output).toContain("--grpc.host-port is empty: there is nothing to do");

  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  const refused = await runToEnd(folder, `--grpc.host-port=127.0.0.1:${port}`);
  expect(refused.exitCode).toBe(1);
  expect(refused.output).toContain(`address 127.0.0.1:${port} is taken by another program`);
  expect(refused.output).toContain("--grpc.host-port");
});
