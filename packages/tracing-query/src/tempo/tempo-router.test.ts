import { createLogger, parseHostPort, TenantCheck } from "lifecycle";
import { type ReadOptions, unsupported } from "storage/api";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Span } from "wire/model";
import { decodeTraces } from "wire/testing/decode-traces";
import { UiPage } from "../http/ui-page.ts";
import { openHttpServer } from "../server/http-server.ts";
import { otlpSpan, sampleStore, sampleTraceId, shortTraceId } from "../service/sample-store.ts";
import { type SampleStore, sampleService, sampleSettings } from "../testing/sample-service.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

interface OpenOptions extends Partial<ReturnType<typeof sampleSettings>> {
  readonly basePath?: string;
}

/** Opens a server. @returns the address of `/tempo` */
async function open(store: SampleStore, { basePath = "", ...changes }: OpenOptions = {}): Promise<string> {
  const server = await openHttpServer({
    ...sampleSettings(),
    ...changes,
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    service: sampleService(store),
    page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
    uiFolder: "/nowhere",
    basePath,
    log,
  });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return `http://127.0.0.1:${server.port}${basePath}/tempo`;
}

async function textOf(address: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(address, { headers });
  return [response.status, await response.text()];
}

async function jsonOf(address: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(address, { headers });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.status).toBe(200);
  return await response.json();
}

const spans = (): Span[] => [
  otlpSpan({
    kind: "server",
    status: { code: "error", message: "broken" },
    attributes: [
      { key: "http.method", value: { type: "string", value: "GET" } },
      { key: "http.status_code", value: { type: "int", value: 500n } },
    ],
    resourceAttributes: [{ key: "cluster", value: { type: "string", value: "west" } }],
    links: [
      {
        traceId: "f".repeat(32),
        spanId: "e".repeat(16),
        traceState: "",
        attributes: [],
        droppedAttributesCount: 0,
        flags: 0,
        refType: "none",
      },
    ],
  }),
  otlpSpan({ spanId: "00000000000000b2", parentSpanId: "d8b7eb2154448f9d", service: "stock", name: "read" }),
];

describe("status", () => {
  test("echo, ready, build", async () => {
    const base = await open(await sampleStore([]));
    expect(await textOf(`${base}/api/echo`)).toEqual([200, "echo"]);
    expect(await textOf(`${base}/ready`)).toEqual([200, "ready\n"]);
    const { version } = (await jsonOf(`${base}/api/status/buildinfo`)) as { version: string };
    expect(version).toMatch(/^2\.\d+\.\d+$/);
  });

  test("below the base path, and nothing else", async () => {
    const base = await open(await sampleStore([]), { basePath: "/x" });
    expect(base).toMatch(/\/x\/tempo$/);
    expect(await textOf(`${base}/api/echo`)).toEqual([200, "echo"]);
    expect(await textOf(`${base}/api/nothing`)).toEqual([404, "404 page not found\n"]);
    expect((await fetch(`${base}/api/echo`, { method: "POST" })).status).toBe(405);
  });
});

describe("a trace", () => {
  test("as protobuf", async () => {
    const base = await open(await sampleStore(spans()));
    const response = await fetch(`${base}/api/traces/${sampleTraceId}?start=1&end=2`, {
      headers: { accept: "application/protobuf" },
    });
    expect(response.headers.get("content-type")).toBe("application/protobuf");
    const read = decodeTraces(Buffer.from(await response.arrayBuffer()));
    expect(read.map(({ spanId }) => spanId).sort()).toEqual(["00000000000000b2", "d8b7eb2154448f9d"]);
  });

  test("of many parts as protobuf, with a status and without", async () => {
    const many = Array.from({ length: 1_201 }, (_, index) =>
      otlpSpan({ spanId: (index + 1).toString(16).padStart(16, "0") }),
    );
    const base = await open(await sampleStore(many));
    const headers = { accept: "application/protobuf" };
    const bytesOf = async (path: string) =>
      Buffer.from(await (await fetch(`${base}${path}`, { headers })).arrayBuffer());
    const plain = await bytesOf(`/api/traces/${sampleTraceId}`);
    expect(decodeTraces(plain)).toHaveLength(1_201);
    const enclosed = await bytesOf(`/api/v2/traces/${sampleTraceId}`);
    const parts = messagesOfField1(enclosed);
    expect(parts.length).toBeGreaterThan(1);
    expect(Buffer.concat(parts)).toEqual(plain);
  });

  test("as JSON, in Tempo's words", async () => {
    const base = await open(await sampleStore(spans()));
    const shown = [
      {
        resource: {
          attributes: [
            { key: "service.name", value: { stringValue: "shop" } },
            { key: "cluster", value: { stringValue: "west" } },
          ],
        },
        scopeSpans: [
          {
            scope: {},
            spans: [
              expect.objectContaining({
                traceId: Buffer.from(sampleTraceId, "hex").toString("base64"),
                spanId: Buffer.from("d8b7eb2154448f9d", "hex").toString("base64"),
                name: "GET /",
                kind: "SPAN_KIND_SERVER",
                startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
                status: { code: "STATUS_CODE_ERROR", message: "broken" },
                links: [{ traceId: `${"/".repeat(21)}w==`, spanId: "7u7u7u7u7u4=" }],
              }),
            ],
          },
        ],
      },
      expect.objectContaining({ resource: expect.anything() }),
    ];
    expect(await jsonOf(`${base}/api/traces/${sampleTraceId}`)).toEqual({ batches: shown });
    expect(await jsonOf(`${base}/api/v2/traces/${sampleTraceId}`)).toEqual({
      trace: { resourceSpans: shown },
      metrics: {},
      status: "COMPLETE",
    });
  });

  test("with a short id", async () => {
    const base = await open(await sampleStore([otlpSpan({ traceId: shortTraceId })]));
    expect((await fetch(`${base}/api/traces/bEEf`)).status).toBe(200);
  });

  test.each([
    ["xyz", 400, "trace IDs can only contain hex characters: invalid character 'x' at position 1"],
    ["1".repeat(33), 400, "trace IDs can't be larger than 128 bits"],
    ["1?start=5&end=4", 400, "http parameter start must be before end. received start=5 end=4"],
    ["1?start=now", 400, 'invalid start: strconv.ParseInt: parsing "now": invalid syntax'],
    ["%27%20OR%201", 400, "trace IDs can only contain hex characters: invalid character ''' at position 1"],
  ])("%s: %d %s", async (id, status, message) => {
    const base = await open(await sampleStore(spans()));
    expect(await textOf(`${base}/api/traces/${id}`)).toEqual([status, message]);
    expect(await textOf(`${base}/api/v2/traces/${id}`)).toEqual([status, message]);
  });

  test("that is not there: 404 in version 1, empty in version 2", async () => {
    const base = await open(await sampleStore(spans()));
    expect(await textOf(`${base}/api/traces/1`)).toEqual([404, "trace not found"]);
    expect(await jsonOf(`${base}/api/v2/traces/1`)).toEqual({
      trace: { resourceSpans: [] },
      metrics: {},
      status: "COMPLETE",
    });
    const message = await fetch(`${base}/api/v2/traces/1`, { headers: { accept: "application/protobuf" } });
    expect([message.status, message.headers.get("content-type")]).toEqual([200, "application/protobuf"]);
    // The field of the trace is present, and the trace has no spans.
    expect([...new Uint8Array(await message.arrayBuffer())]).toEqual([0x0a, 0]);
  });

  test("of too many spans", async () => {
    const limits = { maxTraces: 1, maxSpans: 1, maxRangeNano: undefined };
    const base = await open(await sampleStore(spans()), { limits });
    const [status, text] = await textOf(`${base}/api/traces/${sampleTraceId}`);
    expect(status).toBe(413);
    expect(text).toContain("--query.max-spans");
  });
});

describe("tags", () => {
  test("names by scope", async () => {
    const base = await open(await sampleStore(spans()));
    expect(await jsonOf(`${base}/api/v2/search/tags?limit=5000`)).toEqual({
      scopes: [
        { name: "span", tags: ["http.method", "http.status_code"] },
        { name: "resource", tags: ["cluster", "service.name"] },
        { name: "intrinsic", tags: expect.arrayContaining(["status", "span:status", "rootServiceName"]) },
      ],
      metrics: {},
    });
    expect(await jsonOf(`${base}/api/v2/search/tags?scope=resource&q=%7B%7D`)).toEqual({
      scopes: [{ name: "resource", tags: ["cluster", "service.name"] }],
      metrics: {},
    });
    const ofStock = encodeURIComponent('{ resource.service.name = "stock" && }');
    expect(await jsonOf(`${base}/api/v2/search/tags?scope=resource&q=${ofStock}`)).toEqual({
      scopes: [{ name: "resource", tags: ["service.name"] }],
      metrics: {},
    });
    const tagNames = ["cluster", "http.method", "http.status_code", "service.name"];
    expect(await jsonOf(`${base}/api/search/tags`)).toEqual({ tagNames, metrics: {} });
    expect(await jsonOf(`${base}/api/search/tags?scope=intrinsic`)).toMatchObject({
      tagNames: expect.arrayContaining(["status"]),
    });
    expect(await jsonOf(`${base}/api/search/tags?start=1&end=2`)).toEqual({ tagNames: [], metrics: {} });
  });

  test.each([
    ["v2/search/tag/.http.status_code", [{ type: "int", value: "500" }]],
    ["v2/search/tag/span.http.method", [{ type: "string", value: "GET" }]],
    ["v2/search/tag/status", ["unset", "ok", "error"].map((value) => ({ type: "keyword", value }))],
    ["v2/search/tag/resource.cluster", [{ type: "string", value: "west" }]],
    ["v2/search/tag/span.nothing", []],
    ["v2/search/tag/span.a%2Fb", []],
    ["v2/search/tag/.a/b", []],
    ["search/tag/service.name", ["shop", "stock"]],
    ["search/tag/name", ["GET /", "read"]],
    ["search/tag/http.status_code", ["500"]],
    ["search/tag/'%20OR%201%20--", []],
  ])("values: %s", async (path, tagValues) => {
    const base = await open(await sampleStore(spans()));
    expect(await jsonOf(`${base}/api/${path}/values`)).toEqual({ tagValues, metrics: {} });
  });

  test("values of spans that match what is typed so far", async () => {
    const base = await open(await sampleStore(spans()));
    const q = encodeURIComponent("{ span.http.status_code = 500 && name = }");
    expect(await jsonOf(`${base}/api/v2/search/tag/resource.service.name/values?q=${q}`)).toEqual({
      tagValues: [{ type: "string", value: "shop" }],
      metrics: {},
    });
  });

  const isCut = { metrics: { completedJobs: 1, totalJobs: 2 } };

  test.each([
    ["v2/search/tags?scope=span&limit=1", isCut, "names of span attributes was cut at 1 entries"],
    ["search/tags?limit=1", { metrics: { completedJobs: 1, totalJobs: 4 } }, "names of resource attributes"],
    [
      "v2/search/tag/resource.service.name/values?limit=1",
      isCut,
      "values of service.name was cut at 1 entries",
    ],
    ["search/tag/service.name/values?limit=1", isCut, "values of service.name"],
    ["v2/search/tag/status/values?limit=2", isCut, "status was cut at 2"],
    ["v2/search/tags?scope=span&limit=2", { metrics: {} }, null],
    ["v2/search/tag/resource.service.name/values?limit=2", { metrics: {} }, null],
    ["v2/search/tag/resource.service.name/values?limit=10000", { metrics: {} }, null],
  ])("a list that was cut says so: %s", async (path, metrics, said) => {
    const base = await open(await sampleStore(spans()));
    const response = await fetch(`${base}/api/${path}`);
    expect(await response.json()).toMatchObject(metrics);
    const header = response.headers.get("x-tracing-partial");
    expect(header).toEqual(said === null ? null : expect.stringContaining(said));
  });

  test("a list of names that was cut has the most frequent", async () => {
    const base = await open(
      await sampleStore([
        otlpSpan({ attributes: ["z", "a"].map((key) => ({ key, value: { type: "bool", value: true } })) }),
        otlpSpan({
          spanId: "00000000000000b2",
          attributes: [{ key: "z", value: { type: "int", value: 1n } }],
        }),
      ]),
    );
    expect(await jsonOf(`${base}/api/v2/search/tags?scope=span&limit=1`)).toMatchObject({
      scopes: [{ name: "span", tags: ["z"] }],
    });
  });

  test.each([
    ["v2/search/tags?scope=nonsense", "invalid scope: nonsense"],
    ["v2/search/tags?limit=-1", 'invalid limit: strconv.ParseUint: parsing "-1": invalid syntax'],
    ["search/tags?start=2&end=1", "http parameter start must be before end. received start=2 end=1"],
    [
      "search/tags?maxStaleValues=x",
      'invalid maxStaleValues: strconv.ParseUint: parsing "x": invalid syntax',
    ],
    ["v2/search/tag/http.method/values", "please provide a valid tagName: http.method"],
    ["v2/search/tag/span.a%20%7C%7C%20.b/values", "please provide a valid tagName: span.a || .b"],
    ["search/tag/a/values?end=1&start=x", 'invalid start: strconv.ParseUint: parsing "x": invalid syntax'],
  ])("%s: %s", async (path, message) => {
    const base = await open(await sampleStore(spans()));
    expect(await textOf(`${base}/api/${path}`)).toEqual([400, message]);
  });

  test("a name that is too long", async () => {
    const base = await open(await sampleStore(spans()));
    const [status, text] = await textOf(`${base}/api/search/tag/${"x".repeat(9_000)}/values`);
    expect([status, text]).toEqual([400, expect.stringContaining("over the limit of 8192")]);
  });
});

test("a time range over the limit", async () => {
  const limits = { maxTraces: 5, maxSpans: 100, maxRangeNano: 3_600_000_000_000n };
  const base = await open(await sampleStore([]), { limits });
  const q = encodeURIComponent("{ } | rate()");
  for (const path of ["search?", "search/tags?", `metrics/query_range?q=${q}&`, `metrics/query?q=${q}&`]) {
    const [status, text] = await textOf(`${base}/api/${path}start=1&end=7200`);
    expect([status, text]).toEqual([400, expect.stringContaining("--query.max-time-range")]);
  }
  const short = { ...limits, maxRangeNano: 60_000_000_000n };
  const strict = await open(await sampleStore([]), { limits: short });
  for (const path of ["search", "search/tags", `metrics/query_range?q=${q}`, `metrics/query?q=${q}`]) {
    expect((await textOf(`${strict}/api/${path}`))[0]).toBe(200);
  }
  const [status, text] = await textOf(`${base}/api/search?limit=6`);
  expect([status, text]).toEqual([400, expect.stringContaining("--query.max-traces")]);
});

test("Tempo's header for tenants", async () => {
  const tenants = new TenantCheck({
    "multi-tenancy.enabled": true,
    // The parsed option is in lower case.
    "multi-tenancy.header": "x-scope-orgid",
    "multi-tenancy.tenants": [],
  });
  const base = await open(await sampleStore(spans(), "one"), { tenants });
  const services = `${base}/api/search/tag/service.name/values`;
  expect((await fetch(services)).status).toBe(401);
  expect(await jsonOf(services, { "X-Scope-OrgID": "one" })).toMatchObject({ tagValues: ["shop", "stock"] });
  expect(await jsonOf(services, { "x-scope-orgid": "two" })).toMatchObject({ tagValues: [] });
});

test("the user's token goes on to the store, and headers of the options to the client", async () => {
  const asked: (string | undefined)[] = [];
  const store = await sampleStore([]);
  const names: typeof store.catalog.names = async (_query, options) => {
    asked.push(options?.bearerToken);
    return [];
  };
  const headers = new Map([["Access-Control-Allow-Origin", "*"]]);
  const base = await open(
    { ...store, catalog: { ...store.catalog, names } },
    { propagateToken: true, headers },
  );
  const response = await fetch(`${base}/api/search/tags`, { headers: { authorization: "Bearer secret" } });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect(asked).toEqual(["secret"]);
});

test("tenants are apart", async () => {
  const { tenants } = sampleSettings("one", "two");
  const base = await open(await sampleStore(spans(), "one"), { tenants });
  const tags = `${base}/api/v2/search/tags?scope=span`;
  expect((await fetch(tags)).status).toBe(401);
  expect((await fetch(tags, { headers: { "x-tenant": "three" } })).status).toBe(401);
  expect(await jsonOf(tags, { "x-tenant": "two" })).toEqual({ scopes: [], metrics: {} });
  expect(await jsonOf(tags, { "X-Tenant": "one" })).toMatchObject({ scopes: [{ name: "span" }] });
  const trace = `${base}/api/traces/${sampleTraceId}`;
  expect((await fetch(trace, { headers: { "x-tenant": "two" } })).status).toBe(404);
});

test.each([
  ["search?q=%7B%7D", "search"],
  ["metrics/query_range?q=%7B%7D%7Crate()", "metrics"],
])("%s: who goes away ends the work in the store", async (path, method) => {
  const [asked, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = (_query: unknown, options?: ReadOptions): Promise<never> => {
    options?.signal?.addEventListener("abort", () => aborted.resolve());
    asked.resolve();
    return new Promise(() => {});
  };
  const store = await sampleStore([]);
  const base = await open({ ...store, traceql: { ...store.traceql, [method]: wait } });
  const controller = new AbortController();
  const answer = fetch(`${base}/api/${path}`, { signal: controller.signal });
  await asked.promise;
  controller.abort();
  await expect(answer).rejects.toThrow();
  await aborted.promise;
});

test("a store without TraceQL says so", async () => {
  const { reader } = await sampleStore([]);
  const base = await open({ ...unsupported("a remote storage"), reader });
  for (const path of ["search", "v2/search/tags", "metrics/query_range?q=%7B%7D%7Crate()"]) {
    expect(await textOf(`${base}/api/${path}`)).toEqual([501, "a remote storage"]);
  }
});

/** The contents of a message's fields 1, which together are one message. */
function messagesOfField1(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    expect(bytes[at++]).toBe(0x0a);
    let length = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      length += (byte & 0x7f) * shift;
      if (byte < 0x80) {
        break;
      }
    }
    found.push(bytes.subarray(at, at + length));
    at += length;
  }
  return found;
}
