import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Registry } from "@prometheus-io/client";
import { createLogger, parseHostPort } from "lifecycle";
import type { SpanReader } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { UiPage } from "../http/ui-page.ts";
import { otlpSpan, sampleStore, sampleTraceId, shortTraceId } from "../service/sample-store.ts";
import {
  type SampleStore,
  StuckReader,
  sampleService,
  sampleSettings,
  sampleTenants,
} from "../testing/sample-service.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const opened: HttpServer[] = [];

async function open(
  store: SampleStore,
  basePath = "",
  metrics = new Registry(),
  tenants = sampleTenants(),
): Promise<string> {
  const uiFolder = await mkdtemp(join(tmpdir(), "query-ui-"));
  await writeFile(join(uiFolder, "index.html"), '<base href="/"><p>the page</p>');
  await mkdir(join(uiFolder, "static"));
  await writeFile(join(uiFolder, "static/index-BfY3x_9q.js"), `// ${"x".repeat(5_000)}`);
  await writeFile(join(uiFolder, "static/icon.svg"), "<svg/>");
  const server = await openHttpServer({
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    ...sampleSettings(),
    service: sampleService(store, metrics),
    tenants,
    page: await UiPage.open({ folder: uiFolder, configFile: "" }, log),
    uiFolder,
    basePath,
    log,
  });
  opened.push(server);
  return `http://127.0.0.1:${server.port}`;
}

afterEach(async () => {
  // Servers of `beforeAll` stay open, because they are not in the list.
  await Promise.all(opened.splice(0).map((server) => server.stop(AbortSignal.abort())));
});

/** The reader's methods as separate functions, so that a test can replace a method. */
function methodsOf(reader: SpanReader): SpanReader {
  return {
    getTraces: (...args) => reader.getTraces(...args),
    findTraces: (...args) => reader.findTraces(...args),
    findTraceIds: (...args) => reader.findTraceIds(...args),
    getServices: (...args) => reader.getServices(...args),
    getOperations: (...args) => reader.getOperations(...args),
  };
}

function failure(code: number, msg: string): string {
  return `${JSON.stringify({ data: null, total: 0, limit: 0, offset: 0, errors: [{ code, msg }] })}\n`;
}

describe("over a store with two traces", () => {
  let base: string;
  let server: HttpServer | undefined;
  const metrics = new Registry();

  beforeAll(async () => {
    const store = await sampleStore([
      otlpSpan({
        attributes: [
          { key: "z", value: { type: "int", value: 2n ** 60n } },
          { key: "http.url", value: { type: "string", value: "http://shop:80/" } },
        ],
      }),
      otlpSpan({
        spanId: "00000000000000b2",
        parentSpanId: "d8b7eb2154448f9d",
        service: "db",
        name: "SELECT",
        kind: "client",
      }),
      otlpSpan({
        spanId: "00000000000000b3",
        parentSpanId: "d8b7eb2154448f9d",
        service: "db",
        name: "SELECT",
        kind: "unspecified",
      }),
      otlpSpan({ traceId: shortTraceId, service: "a b/c", name: "PUT" }),
    ]);
    base = await open(store.reader, "", metrics);
    server = opened.pop();
  });

  afterAll(() => server?.stop(AbortSignal.abort()));

  test("services and operations", async () => {
    const get = async (path: string) => await (await fetch(base + path)).text();
    expect(await get("/api/services")).toBe(
      '{"data":["a b/c","db","shop"],"total":3,"limit":0,"offset":0,"errors":null}',
    );
    expect(await get("/api/services/db/operations")).toBe(
      '{"data":["SELECT"],"total":1,"limit":0,"offset":0,"errors":null}',
    );
    expect(await get("/api/services/a%20b%2Fc/operations")).toContain('{"data":["PUT"],"total":1,');
    expect(await get("/api/services/nobody/operations")).toBe(
      '{"data":null,"total":0,"limit":0,"offset":0,"errors":null}',
    );
    expect(await get("/api/operations?service=db")).toBe(
      '{"data":[{"name":"SELECT","spanKind":"unspecified"},{"name":"SELECT","spanKind":"client"}],"total":2,"limit":0,"offset":0,"errors":null}',
    );
    expect(await get("/api/operations?service=db&spanKind=client")).toContain(
      '[{"name":"SELECT","spanKind":"client"}]',
    );
    expect(await get("/api/operations?service=db&spanKind=nonsense")).toContain('"data":[],"total":0,');
    expect(await get("/api/operations?service=nobody")).toContain('"data":[],"total":0,');
  });

  test("a trace by id, adjusted; raw as it was sent", async () => {
    const response = await fetch(`${base}/api/traces/${sampleTraceId.toUpperCase()}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    const text = await response.text();
    expect(text).toMatch(/^\{"data":\[\{"traceID":"71a8/);
    expect(text).toMatch(/"warnings":null\}\],"total":0,"limit":0,"offset":0,"errors":null\}$/);
    const keysOf = (body: string): string[] =>
      JSON.parse(body).data[0].spans[0].tags.map((tag: { key: string }) => tag.key);
    expect(keysOf(text)).toEqual(["http.url", "internal.span.format", "span.kind", "z"]);
    const raw = await (await fetch(`${base}/api/traces/${sampleTraceId}?raw=t`)).text();
    expect(keysOf(raw)).toEqual(["z", "http.url", "span.kind", "internal.span.format"]);
    expect(text).toContain('{"key":"z","type":"int64","value":"1152921504606846976"}');
  });

  test("prettyPrint indents by four", async () => {
    const plain = await (await fetch(`${base}/api/traces/beef`)).text();
    const pretty = await (await fetch(`${base}/api/traces/beef?prettyPrint=true`)).text();
    expect(pretty).toBe(JSON.stringify(JSON.parse(plain), null, 4));
    expect(await (await fetch(`${base}/api/traces/beef?prettyPrint=false`)).text()).toBe(plain);
  });

  test("search by each condition", async () => {
    const search = async (query: string) => {
      const { data, errors } = JSON.parse(await (await fetch(`${base}/api/traces?${query}`)).text());
      return { ids: data.map((trace: { traceID: string }) => trace.traceID), errors };
    };
    const found = { ids: [sampleTraceId], errors: null };
    const nothing = { ids: [], errors: null };
    expect(await search("service=shop")).toEqual(found);
    expect(await search("service=shop&operation=GET%20/")).toEqual(found);
    expect(await search("service=shop&operation=PUT")).toEqual(nothing);
    expect(await search("service=shop&tag=http.url:http://shop:80/")).toEqual(found);
    expect(await search(`service=shop&tags=${encodeURIComponent('{"z":"1152921504606846976"}')}`)).toEqual(
      found,
    );
    expect(await search("service=shop&tag=z:2")).toEqual(nothing);
    expect(await search("service=shop&minDuration=1.5ms&maxDuration=1500us")).toEqual(found);
    expect(await search("service=shop&minDuration=2ms")).toEqual(nothing);
    expect(await search("service=shop&end=1000000")).toEqual(nothing);
    expect(await search(`service=a%20b/c`)).toEqual({ ids: ["000000000000beef"], errors: null });
    expect(await search(`traceID=${sampleTraceId}&traceID=beef&traceID=dead`)).toEqual({
      ids: [sampleTraceId, "000000000000beef"],
      errors: [{ msg: "trace not found", traceID: "000000000000dead" }],
    });
  });

  test.each([
    ["GET", "/api/traces", 400, "parameter 'service' is required"],
    [
      "GET",
      "/api/traces?start=a",
      400,
      `unable to parse param 'start': strconv.ParseInt: parsing "a": invalid syntax`,
    ],
    ["GET", "/api/traces?service=%zz", 400, "parameter 'service' is required"],
    ["GET", "/api/traces?service=%4", 400, "parameter 'service' is required"],
    ["GET", "/api/traces?service=a;b=c", 400, "parameter 'service' is required"],
    ["GET", "/api/operations", 400, "parameter 'service' is required"],
    ["GET", "/api/traces/dead", 404, "trace not found"],
    ["GET", "/api/traces/zz", 400, `strconv.ParseUint: parsing "zz": invalid syntax`],
    [
      "GET",
      `/api/traces/${"a".repeat(33)}`,
      400,
      `TraceID cannot be longer than 32 hex characters: ${"a".repeat(33)}`,
    ],
    ["GET", "/api/services/%zz/operations", 400, "Failed to decode param '%zz'"],
    ["GET", "/api/metrics/latencies?service=x&quantile=0.5", 501, "metrics querying is currently disabled"],
    ["GET", "/api/metrics/minstep", 501, "metrics querying is currently disabled"],
    ["GET", "/api/metrics/calls?service=x", 501, "metrics querying is currently disabled"],
    ["GET", "/api/dependencies?endTs=1", 501, "a reader alone"],
    ["POST", "/api/archive/dead", 500, "archive span storage was not configured"],
    ["POST", "/api/archive/zz", 400, `strconv.ParseUint: parsing "zz": invalid syntax`],
  ])("%s %s: %d %s", async (method, path, status, message) => {
    const response = await fetch(base + path, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe(failure(status, message));
  });

  test.each([
    ["POST", "/api/traces"],
    ["DELETE", "/api/services"],
    ["POST", "/api/services/x/operations"],
    ["GET", "/api/transform"],
    ["HEAD", "/api/traces/dead"],
  ])("%s %s: 405 without a body", async (method, path) => {
    const response = await fetch(base + path, { method });
    expect(response.status).toBe(405);
    expect(await response.text()).toBe("");
  });

  test.each([
    ["//api/services", "/api/services"],
    ["/api//services?x=//y", "/api/services?x=//y"],
    ["/api/./services/", "/api/services/"],
    ["/api/traces/../services", "/api/services"],
    ["/static/../index.html", "/index.html"],
    ["/..", "/"],
    ["//evil.example", "/evil.example"],
    ["/\\evil.example//x", "/evil.example/x"],
  ])("%s is sent to %s", async (path, location) => {
    // Does not use `fetch`, which would normalize the path.
    const { port } = new URL(base);
    const response = await new Promise<IncomingMessage>((resolve) => {
      request({ port, path }, (answered) => resolve(answered.resume())).end();
    });
    expect([response.statusCode, response.headers.location]).toEqual([301, location]);
  });

  test("each answer tells where its request stands in a trace", async () => {
    const of = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(base + path, { headers })).headers.get("traceresponse");
    expect(await of("/api/services")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(await of("/api/traces/zz")).not.toBe(await of("/api/traces/zz"));
    const parent = `00-${sampleTraceId}-00000000000000b1`;
    const child = new RegExp(`^00-${sampleTraceId}-(?!00000000000000b1)[0-9a-f]{16}`);
    expect(await of("/api/services", { traceparent: `${parent}-01` })).toMatch(
      new RegExp(`${child.source}-01$`),
    );
    expect(await of("/api/services", { traceparent: `${parent}-00` })).toMatch(
      new RegExp(`${child.source}-00$`),
    );
    expect(await of("/api/services", { traceparent: "nonsense" })).toMatch(/^00-.*-01$/);
    expect(await of("/api/v3/services")).toBeNull();
    expect(await of("/search")).toBeNull();
  });

  test.each(["/", "/search", "/api/services", "/api/traces/zz", "/static/none.js", "/page-facts.js"])(
    "%s cannot be framed by another site, nor taken for another type",
    async (path) => {
      const { headers } = await fetch(base + path);
      expect(headers.get("content-security-policy")).toBe("frame-ancestors 'self'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  test.each(["/api/nope", "/api/services/", "/api/traces/a/b", "/api/v3/nope", "/mcp"])(
    "%s is a failure in JSON: a program must not take a page for an answer",
    async (path) => {
      const response = await fetch(base + path);
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/json"]);
      expect(await response.json()).toMatchObject({ data: null, errors: [{ code: 404 }] });
    },
  );

  test.each(["/", "/search", "/trace/x", "/api", "/API/services"])("%s is the UI's page", async (path) => {
    const response = await fetch(base + path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toMatch(/^<base href="(\.\/|(\.\.\/)+)"><p>the page<\/p>$/);
  });

  test("static files, compressed and kept by browsers", async () => {
    const script = await fetch(`${base}/static/index-BfY3x_9q.js`);
    expect(script.status).toBe(200);
    expect(script.headers.get("content-type")).toMatch(/javascript/);
    expect(script.headers.get("content-encoding")).toBe("gzip");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const icon = await fetch(`${base}/static/icon.svg`);
    expect(icon.headers.get("cache-control")).toBe("no-cache");
    const { port } = new URL(base);
    for (const path of ["/static/none.js", "/static/", "/static/%2e%2e/index.html"]) {
      // Does not use `fetch`, which would normalize the path.
      const status = await new Promise((resolve) => {
        request({ port, path }, (response) => resolve(response.resume().statusCode)).end();
      });
      expect(status, path).toBe(404);
    }
  });

  test("answers are compressed when the client says so", async () => {
    const get = (encoding: string) =>
      new Promise<{ response: IncomingMessage; body: Buffer }>((resolve, reject) => {
        const call = request(
          `${base}/api/traces/${sampleTraceId}`,
          { headers: { "accept-encoding": encoding } },
          async (response) => resolve({ response, body: Buffer.concat(await response.toArray()) }),
        );
        call.on("error", reject).end();
      });
    const packed = await get("gzip");
    expect(packed.response.headers["content-encoding"]).toBe("gzip");
    expect(packed.response.headers.vary).toBe("Accept-Encoding");
    const plain = await get("identity");
    expect(plain.response.headers["content-length"]).toBe(String(plain.body.length));
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  });

  test("reads are counted", async () => {
    const text = await metrics.metrics();
    expect(text).toMatch(/tracing_query_requests_total\{operation="get_trace",result="ok"\} [1-9]/);
    expect(text).toMatch(/tracing_query_latency_count\{operation="find_traces",result="ok"\} [1-9]/);
  });
});

test("an empty store: services are null, a search is empty", async () => {
  const base = await open((await sampleStore([])).reader);
  expect(await (await fetch(`${base}/api/services`)).text()).toBe(
    '{"data":null,"total":0,"limit":0,"offset":0,"errors":null}',
  );
  expect(await (await fetch(`${base}/api/traces?service=x`)).text()).toBe(
    '{"data":[],"total":0,"limit":0,"offset":0,"errors":null}',
  );
});

test("under a base path, and nowhere else", async () => {
  const base = await open((await sampleStore([])).reader, "/tracing/ui");
  expect((await fetch(`${base}/tracing/ui/api/services`)).headers.get("content-type")).toBe(
    "application/json",
  );
  expect(await (await fetch(`${base}/tracing/ui/search`)).text()).toContain('<base href="./">');
  expect(await (await fetch(`${base}/tracing/ui`)).text()).toContain("the page");
  expect((await fetch(`${base}/tracing/ui/static/icon.svg`)).status).toBe(200);
  expect((await fetch(`${base}/api/services`)).status).toBe(404);
  expect((await fetch(`${base}/`)).status).toBe(404);
});

test("a large trace comes whole, with and without compression", async () => {
  const text = { key: "text", value: { type: "string", value: "x".repeat(500) } } as const;
  const spans = Array.from({ length: 3_000 }, (_, index) =>
    otlpSpan({ spanId: (index + 1).toString(16).padStart(16, "0"), attributes: [text] }),
  );
  const base = await open((await sampleStore(spans)).reader);
  for (const encoding of ["gzip", "identity"]) {
    const response = await fetch(`${base}/api/traces/${sampleTraceId}`, {
      headers: { "accept-encoding": encoding },
    });
    const { data } = (await response.json()) as { data: [{ spans: unknown[] }] };
    expect(data[0].spans).toHaveLength(3_000);
  }
});

test("a search of too much: 400 that names the limit", async () => {
  const base = await open((await sampleStore([])).reader);
  const tags = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, "v"]));
  const many = await fetch(`${base}/api/traces?service=x&tags=${encodeURIComponent(JSON.stringify(tags))}`);
  expect([many.status, await many.text()]).toEqual([400, failure(400, "65 tags are over the limit of 64")]);
  const long = JSON.stringify({ key: "x".repeat(9_000) });
  for (const address of [`traces?service=x&tags=${encodeURIComponent(long)}`, `operations?service=${long}`]) {
    const response = await fetch(`${base}/api/${address}`);
    expect(response.status).toBe(400);
    expect(JSON.parse(await response.text()).errors[0].msg).toMatch(/over the limit of 8192$/);
  }
});

test("a store that is away: 503 that says so", async () => {
  const store = openClickHouseStore({ urls: ["http://127.0.0.1:1"] });
  const base = await open(store.reader);
  const response = await fetch(`${base}/api/services`);
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(JSON.parse(await response.text()).errors[0].msg).toMatch(
    /^storage at http:\/\/127.0.0.1:1\/ cannot be reached/,
  );
  await store.close();
});

test("a client that goes away ends the read", async () => {
  const reader = new StuckReader();
  const base = await open(reader);
  const client = new AbortController();
  const answer = fetch(`${base}/api/traces?service=x`, { signal: client.signal });
  await reader.asked.promise;
  client.abort();
  await expect(answer).rejects.toThrow();
  await reader.aborted.promise;
});

test("a stop lets a request under way end, and does not wait for its connection", async () => {
  const { reader } = await sampleStore([otlpSpan()]);
  const mayGo = Promise.withResolvers<void>();
  const wasAsked = Promise.withResolvers<void>();
  const slow: SpanReader = {
    ...methodsOf(reader),
    async getServices() {
      wasAsked.resolve();
      await mayGo.promise;
      return await reader.getServices();
    },
  };
  const base = await open(slow);
  const server = opened.pop()!;
  const answer = fetch(`${base}/api/services`); // Keeps its connection.
  await wasAsked.promise;
  const never = new AbortController();
  const stopped = server.stop(never.signal);
  mayGo.resolve();
  expect(await (await answer).json()).toMatchObject({ data: ["shop"] });
  await stopped;
});

test("a taken port is told in one line", async () => {
  const { reader } = await sampleStore([]);
  const { port } = new URL(await open(reader));
  await expect(
    openHttpServer({
      address: parseHostPort(`127.0.0.1:${port}`)!,
      tls: undefined,
      ...sampleSettings(),
      service: sampleService(reader),
      page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
      uiFolder: "/nowhere",
      basePath: "",
      log,
    }),
  ).rejects.toThrow(`query over HTTP: address 127.0.0.1:${port} is taken by another program`);
});

describe("with tenancy", () => {
  let base: string;
  let server: HttpServer | undefined;

  beforeAll(async () => {
    const store = await sampleStore([otlpSpan()], "acme");
    base = await open(store.reader, "", new Registry(), sampleTenants("acme", "other"));
    server = opened.pop();
  });
  afterAll(() => server?.stop(AbortSignal.abort()));

  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${base}${path}`, { headers, method });

  test.each([
    ["/api/services"],
    ["/api/services/shop/operations"],
    ["/api/operations?service=shop"],
    ["/api/traces?service=shop"],
    [`/api/traces/${sampleTraceId}`],
    ["/api/dependencies"],
    ["/api/metrics/calls"],
  ])("%s needs the header of a tenant that is served", async (path) => {
    for (const [headers, text] of [
      [{}, "missing tenant header"],
      [{ "x-tenant": "" }, "missing tenant header"],
      [{ "x-tenant": "nobody" }, "unknown tenant"],
    ] as const) {
      const answer = await ask(path, headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(await answer.text()).toBe(text);
    }
    expect((await ask(path, { "X-Tenant": "acme" })).status).not.toBe(401);
  });

  test("each tenant sees its own", async () => {
    const names = async (tenant: string) =>
      ((await (await ask("/api/services", { "x-tenant": tenant })).json()) as { data: unknown }).data;
    expect(await names("acme")).toEqual(["shop"]);
    expect(await names("other")).toBeNull();
    expect((await ask(`/api/traces/${sampleTraceId}`, { "x-tenant": "acme" })).status).toBe(200);
    expect((await ask(`/api/traces/${sampleTraceId}`, { "x-tenant": "other" })).status).toBe(404);
  });

  test.each([["/"], ["/search"], ["/static/icon.svg"]])("%s needs none", async (path) => {
    expect((await ask(path)).status).toBe(200);
  });

  test("a wrong method is told first, as without tenancy", async () => {
    expect((await ask("/api/services", {}, "POST")).status).toBe(405);
  });

  test("several headers are refused: a proxy that adds its own leaves the client no choice", async () => {
    const { hostname, port } = new URL(base);
    const [status, text] = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const asked = request(
        { hostname, port, path: "/api/services", headers: { "x-tenant": ["acme", "other"] } },
        async (answer) => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer) {
            chunks.push(chunk as Buffer);
          }
          resolve([answer.statusCode, Buffer.concat(chunks).toString()]);
        },
      );
      asked.on("error", reject).end();
    });
    expect([status, text]).toEqual([401, "extra tenant header"]);
  });
});
