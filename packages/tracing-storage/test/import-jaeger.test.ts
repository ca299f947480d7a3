import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { openClickHouseStore } from "storage/clickhouse";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { run } from "./run-command.ts";
import { ask, shareStorage } from "./running-storage.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");
const program = join(peers, "jaeger-all-in-one");
const storage = shareStorage();
let jaeger: ChildProcess | undefined;
let otlp = "";
let query = "";

const day = Date.UTC(2026, 10, 20);
const hour = 3_600_000;
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const nano = (ms: number) => `${ms}000000`;

/** Further spans of a service in a trace. Stores that count spans against a limit of traces lose traces. */
const moreSpans = 20;

/** A trace of two services. */
function otlpTrace(number: number, startUnixMs: number) {
  const id = (digits: number, more = 0) => (number * 100 + more).toString(16).padStart(digits, "0");
  const spanOf = (more: number, rest: object) => ({
    ...{ traceId: id(32), spanId: id(16, more), name: "GET /", kind: 2 },
    startTimeUnixNano: nano(startUnixMs + more),
    endTimeUnixNano: nano(startUnixMs + more + 7),
    ...rest,
  });
  const of = (service: string, one: object) => ({
    resource: { attributes: [text("service.name", service), text("host.name", "h1")] },
    scopeSpans: [{ scope: { name: "lib" }, spans: [one] }],
  });
  const event = { timeUnixNano: nano(startUnixMs + 2), name: "retry", attributes: [text("n", "1")] };
  return [
    of("shop", spanOf(1, { attributes: [text("user.id", `u${number}`)], events: [event] })),
    ...Array.from({ length: moreSpans }, (_, index) =>
      of("shop", spanOf(10 + index, { parentSpanId: id(16, 1) })),
    ),
    of("cart", spanOf(2, { parentSpanId: id(16, 1), status: { code: 2, message: "broken" } })),
  ];
}

beforeAll(async () => {
  if (!existsSync(program)) {
    return;
  }
  const free = await freeAddresses(12);
  const [otlpAddress = "", queryAddress = ""] = free;
  otlp = otlpAddress;
  query = queryAddress;
  const names = [
    ...["collector.otlp.http", "query.grpc-server", "collector.otlp.grpc", "collector.grpc-server"],
    ...["collector.http-server", "query.http-server", "http-server", "admin.http"],
    ...[
      "processor.jaeger-compact.server",
      "processor.jaeger-binary.server",
      "processor.zipkin-compact.server",
    ],
  ];
  jaeger = spawn(
    program,
    [
      // Jaeger drops what its queue of 2,000 spans does not hold.
      "--collector.queue-size=20000",
      ...names.map((name, index) =>
        `--${name}.host-port=${free[index]}`.replace(".server.host", ".server-host"),
      ),
    ],
    { stdio: "ignore", env: { ...process.env, SPAN_STORAGE_TYPE: "badger", BADGER_EPHEMERAL: "true" } },
  );
  const resourceSpans = Array.from({ length: 101 }, (_, index) =>
    otlpTrace(index + 1, day + Math.floor((index * 5 * hour) / 101)),
  ).flat();
  await vi.waitFor(async () => {
    const answer = await fetch(`http://${otlp}/v1/traces`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ resourceSpans }),
    });
    expect(answer.status).toBe(200);
  }, 60_000);
});
afterAll(async () => {
  if (jaeger !== undefined) {
    const ended = once(jaeger, "exit");
    jaeger.kill("SIGKILL");
    await ended;
  }
});

const importAll = () =>
  run(
    "import-jaeger",
    query,
    "--from",
    "2026-11-20",
    "--to",
    "2026-11-21",
    "--url",
    storage.url,
    "--max-traces",
    "40",
  );

test.skipIf(!existsSync(program))(
  "traces of a real Jaeger with Badger are copied once, as they were (skipped without Jaeger)",
  async () => {
    // Jaeger stores what it has taken a moment later.
    await vi.waitFor(async () => {
      const { output, errors } = await importAll();
      expect([errors, output]).toEqual([
        "",
        expect.stringMatching(/^101 traces with 2222 spans, in \d+ searches\n$/),
      ]);
    }, 60_000);
    expect((await importAll()).output).toMatch(/^101 traces with 2222 spans/);
    const counts = "SELECT count(), uniqExact(trace_id), min(received), max(received) FROM tracing.spans";
    expect(await ask(storage.url, counts)).toBe("2222\t101\t2026-11-20\t2026-11-20");
    const store = openClickHouseStore({ urls: [storage.url] });
    const id = (100).toString(16).padStart(32, "0");
    const [trace] = await store.reader.getTraces([id]);
    const [shop, cart] = [...(trace?.spans ?? [])].sort((one, other) => (one.spanId < other.spanId ? -1 : 1));
    expect(trace?.spans).toHaveLength(moreSpans + 2);
    expect(shop).toMatchObject({
      ...{ format: "otlp", name: "GET /", kind: "server", scope: { name: "lib" } },
      attributes: expect.arrayContaining([{ key: "user.id", value: { type: "string", value: "u1" } }]),
      events: [{ name: "retry", attributes: [{ key: "n", value: { type: "string", value: "1" } }] }],
    });
    expect(cart).toMatchObject({ parentSpanId: shop?.spanId, status: { code: "error", message: "broken" } });
    expect(await store.reader.getServices()).toEqual(["cart", "shop"]);
    await store.close();
  },
);

test.each([
  ["no address", [], "name the gRPC port of Jaeger's query service first"],
  ["no store", ["127.0.0.1:1", "--from", "2026-11-20"], "name the store with --url"],
  ["no first day", ["127.0.0.1:1", "--url", "http://127.0.0.1:1"], "the first day with --from"],
])("%s", async (_, args, message) => {
  const { exitCode, errors } = await run("import-jaeger", ...args);
  expect(exitCode).toBe(1);
  expect(errors).toContain(message);
});

test("a Jaeger that is away ends it, and says where to go on", async () => {
  const { exitCode, errors } = await run(
    "import-jaeger",
    "127.0.0.1:1",
    "--from",
    "2026-11-20",
    "--url",
    storage.url,
  );
  expect(exitCode).toBe(1);
  expect(errors).toContain("0 traces with 0 spans are stored: go on with --from 2026-11-20T00:00:00.000Z");
});
