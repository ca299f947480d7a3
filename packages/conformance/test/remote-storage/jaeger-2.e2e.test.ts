// A real Jaeger 2 with its spans in our storage, and our processes with their spans in a Jaeger 2: version 2 of the remote
// storage API. `peers/build.sh jaeger2` builds the program.

import { createTestAuthority, createTlsFolder } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { ask, type UiTrace } from "../../src/tracing-api/ask.ts";
import { type SampleTrace, sampleTrace, visibleWithinMs } from "../../src/tracing-api/sample-trace.ts";
import { Backends, type StartedStorage } from "./backends.ts";
import { hasJaeger2, Jaeger2, type Jaeger2Settings } from "./jaeger-2-process.ts";
import { data, seen, send } from "./trace-views.ts";

const backends = new Backends("jaeger-2-");
afterAll(() => backends.close());

async function startJaeger2(settings: Jaeger2Settings): Promise<Jaeger2> {
  const jaeger = await Jaeger2.start(backends.folder, settings);
  backends.keep(jaeger);
  return jaeger;
}

const grpcBackend = (endpoint: string) => ({ grpc: { endpoint, tls: { insecure: true } } });
const version2 = ["--grpc-storage.version", "2"];

/** A tag of Jaeger 1 and of our query service, which a Jaeger 2 does not add. */
const formatTag = "internal.span.format string otlp";

/** Expects a trace in every answer about it of each query service, and the same answers. */
async function expectFound(trace: SampleTrace, queries: readonly string[]): Promise<void> {
  const views = [];
  for (const query of queries) {
    const found = await eventually(async () => {
      const traces = await data<UiTrace[]>(query, `traces/${trace.traceId}`);
      expect(traces[0]?.spans).toHaveLength(2);
      return traces;
    }, visibleWithinMs);
    const search = new URLSearchParams({
      ...{ service: trace.service, operation: "GET /orders", minDuration: "250ms", limit: "5" },
      tags: JSON.stringify({ "http.request.method": "GET" }),
    });
    expect(seen(await data(query, `traces?${search}`))).toEqual(seen(found));
    const none = new URLSearchParams({ service: trace.service, tags: '{"http.request.method":"PUT"}' });
    expect(await data(query, `traces?${none}`)).toEqual([]);
    await eventually(
      async () => expect(await data(query, "services")).toContain(trace.service),
      visibleWithinMs,
    );
    expect(await data(query, `operations?service=${trace.service}`)).toContainEqual({
      name: "GET /orders",
      spanKind: "server",
    });
    expect(await data(query, `operations?service=${trace.service}&spanKind=client`)).toEqual([
      { name: "SELECT orders", spanKind: "client" },
    ]);
    expect((await ask(`http://${query}/api/traces/${"9".repeat(32)}`)).status).toBe(404);
    views.push(JSON.stringify(seen(found)).replaceAll(`"${formatTag}",`, ""));
  }
  for (const view of views) {
    expect(view).toEqual(views[0]);
  }
}

interface ApiV3Spans {
  readonly result: {
    readonly resourceSpans: {
      readonly scopeSpans: { readonly spans: { readonly name: string; readonly traceId: string }[] }[];
    }[];
  };
}

/** Names of the spans in an answer of API v3. */
function namesOf(text: string): string[] {
  const { result } = JSON.parse(text) as ApiV3Spans;
  return result.resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)))
    .sort();
}

/** A trace of many spans, as bodies of exports. Its text does not compress away in memory: over 4 MB in all. */
function bigTrace(spanCount: number): { traceId: string; bodies: unknown[] } {
  const { traceId, rootSpanId, service } = sampleTrace();
  const startMs = Date.now() - 1_000;
  const spans = Array.from({ length: spanCount }, (_, index) => ({
    ...{ traceId, parentSpanId: rootSpanId, name: `step ${index % 10}`, kind: 1 },
    spanId: (index + 1).toString(16).padStart(16, "0"),
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 5}000000`,
    attributes: [{ key: "note", value: { stringValue: `${index} `.repeat(100) } }],
  }));
  const bodies = [];
  for (let first = 0; first < spanCount; first += 1_000) {
    bodies.push({
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
          scopeSpans: [{ spans: spans.slice(first, first + 1_000) }],
        },
      ],
    });
  }
  return { traceId, bodies };
}

async function expectBigTrace(otlp: string, queries: readonly string[]): Promise<void> {
  const { traceId, bodies } = bigTrace(20_000);
  for (const otlpJson of bodies) {
    await send(otlp, { ...sampleTrace(), otlpJson });
  }
  for (const query of queries) {
    await eventually(async () => {
      const [trace] = await data<UiTrace[]>(query, `traces/${traceId}`);
      expect(trace?.spans).toHaveLength(20_000);
    }, visibleWithinMs);
  }
}

describe.skipIf(!hasJaeger2)("a Jaeger 2 whose spans are in our storage (skipped without $PEERS)", () => {
  let storage: StartedStorage;
  let jaeger: Jaeger2;
  let ours: string;
  beforeAll(async () => {
    storage = await backends.storage();
    jaeger = await startJaeger2({ backend: grpcBackend(storage.api) });
    ours = await backends.query(storage.api, version2);
  }, 300_000);

  test("writes them and finds them, and our query service finds the same", async () => {
    const trace = sampleTrace();
    await send(jaeger.otlp, trace);
    await expectFound(trace, [jaeger.query, ours]);
  }, 180_000);

  test("finds them by API v3", async () => {
    const trace = sampleTrace();
    await send(jaeger.otlp, trace);
    const names = ["GET /orders", "SELECT orders"];
    const base = `http://${jaeger.query}/api/v3`;
    const text = async (path: string) => (await ask(`${base}/${path}`)).text;
    await eventually(
      async () => expect(namesOf(await text(`traces/${trace.traceId}`))).toEqual(names),
      visibleWithinMs,
    );
    const search = new URLSearchParams({
      "query.service_name": trace.service,
      "query.start_time_min": new Date(Date.now() - 60_000).toISOString(),
      "query.start_time_max": new Date().toISOString(),
    });
    expect(namesOf(await text(`traces?${search}`))).toEqual(names);
    await eventually(async () => expect(await text("services")).toContain(trace.service), visibleWithinMs);
    expect(JSON.parse(await text(`operations?service=${trace.service}`))).toMatchObject({
      operations: expect.arrayContaining([{ name: "GET /orders", spanKind: "server" }]),
    });
  }, 180_000);

  test("sees the calls between services", async () => {
    const caller = sampleTrace();
    const called = `${caller.service}-called`;
    const nowNs = BigInt(Date.now() - 2_000) * 1_000_000n;
    const server = {
      ...{ traceId: caller.traceId, parentSpanId: caller.childSpanId, spanId: "c".repeat(16) },
      ...{ name: "SELECT", kind: 2, startTimeUnixNano: String(nowNs), endTimeUnixNano: String(nowNs + 5n) },
    };
    const resource = { attributes: [{ key: "service.name", value: { stringValue: called } }] };
    await send(jaeger.otlp, caller);
    await send(jaeger.otlp, {
      ...caller,
      otlpJson: { resourceSpans: [{ resource, scopeSpans: [{ spans: [server] }] }] },
    });
    await eventually(async () => {
      const calls = await data(jaeger.query, `dependencies?endTs=${Date.now()}&lookback=3600000`);
      expect(calls).toContainEqual(
        expect.objectContaining({ parent: caller.service, child: called, callCount: 1 }),
      );
    }, visibleWithinMs);
  }, 180_000);

  test("reads a trace that is larger than a message may be", async () => {
    await expectBigTrace(jaeger.otlp, [jaeger.query, ours]);
  }, 300_000);

  test("says that our storage is away, and never that there is nothing", async () => {
    const trace = sampleTrace();
    await send(jaeger.otlp, trace);
    await storage.process.end("SIGKILL");
    const paths = ["services", `traces/${trace.traceId}`, `traces?service=${trace.service}`];
    for (const path of [...paths, `operations?service=${trace.service}`]) {
      const { status, text } = await ask(`http://${jaeger.query}/api/${path}`);
      expect([path, status]).toEqual([path, 500]);
      expect(text).toMatch(/Unavailable|connection refused/);
    }
    const { status } = await ask(`http://${jaeger.otlp}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(sampleTrace().otlpJson),
    });
    expect(status).toBeGreaterThanOrEqual(500);
    await storage.process.start();
    await eventually(
      async () => expect(await data(jaeger.query, `traces/${trace.traceId}`)).toHaveLength(1),
      visibleWithinMs,
    );
  }, 300_000);
});

test.skipIf(!hasJaeger2)(
  "a Jaeger 2 reaches our storage over TLS, with its tenants (skipped without $PEERS)",
  async () => {
    const authority = createTestAuthority();
    const tls = createTlsFolder(authority.issue("localhost", "127.0.0.1"), authority.cert);
    onTestFinished(() => tls.remove());
    const storage = await backends.storage([
      ...["--grpc.tls.enabled", "--grpc.tls.cert", tls.certPath, "--grpc.tls.key", tls.keyPath],
      ...["--grpc.tls.client-ca", tls.caPath],
      ...["--multi-tenancy.enabled", "--multi-tenancy.tenants", "acme,beta"],
    ]);
    const files = { ca_file: tls.caPath, cert_file: tls.certPath, key_file: tls.keyPath };
    // The names of these fields begin with a capital: Jaeger 2.13 does not read others.
    const tenancy = { Enabled: true, Header: "x-tenant", Tenants: ["acme", "beta"] };
    const jaeger = await startJaeger2({
      backend: {
        grpc: {
          ...{ endpoint: storage.api, tls: files, multi_tenancy: tenancy },
          // Jaeger 2.13 passes no tenant on from its OTLP receiver, so all that it writes is one tenant's.
          writer: { endpoint: storage.api, tls: files, headers: { "x-tenant": "acme" } },
        },
      },
      query: { multi_tenancy: tenancy },
    });
    const trace = sampleTrace();
    await send(jaeger.otlp, trace);
    const get = (tenant: string) =>
      ask(`http://${jaeger.query}/api/traces/${trace.traceId}`, { headers: { "x-tenant": tenant } });
    await eventually(async () => expect((await get("acme")).status).toBe(200), visibleWithinMs);
    expect((await get("beta")).status).toBe(404);
    expect((await get("gamma")).status).toBe(401);
  },
  300_000,
);

describe.skipIf(!hasJaeger2)("our processes whose spans are in a Jaeger 2 (skipped without $PEERS)", () => {
  let jaeger: Jaeger2;
  let collector: string;
  let query: string;
  beforeAll(async () => {
    jaeger = await startJaeger2({ backend: { memory: { max_traces: 1_000 } } });
    collector = await backends.collector(jaeger.remoteStorage, version2);
    query = await backends.query(jaeger.remoteStorage, version2);
  }, 300_000);

  test("write and find them there, and the Jaeger 2 finds the same", async () => {
    const trace = sampleTrace();
    await send(collector, trace);
    await expectFound(trace, [query, jaeger.query]);
  }, 180_000);

  test("read a trace that is larger than a message may be", async () => {
    // Jaeger 2.13 panics when a trace in its memory is read while it grows. Its own receiver answers when spans are stored.
    await expectBigTrace(jaeger.otlp, [query, jaeger.query]);
  }, 300_000);

  test("say that the Jaeger 2 does not answer in time", async () => {
    await jaeger.hang();
    try {
      const { status, text } = await ask(`http://${query}/api/traces/${"1".repeat(32)}`);
      expect(status).toBeGreaterThanOrEqual(500);
      expect(text).toMatch(/storage/);
    } finally {
      jaeger.wake();
    }
    const trace = sampleTrace();
    await send(collector, trace);
    await expectFound(trace, [query]);
  }, 180_000);
});
