import { createLogger, parseHostPort } from "lifecycle";
import { openMemoryStore } from "storage/memory";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpServer, openHttpServer } from "../server/http-server.ts";
import { otlpSpan, sampleStore, sampleTraceId } from "../service/sample-store.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";
import { UiPage } from "./ui-page.ts";

// Requests of later releases of Jaeger's UI (jaeger-ui 2.20): names in camelCase, attributes as a
// JSON object.

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const otherTraceId = "5b8efff798038103d269b633813fc60c";
let server: HttpServer;
let base: string;

beforeAll(async () => {
  const store = await sampleStore([
    otlpSpan({ attributes: [{ key: "shard", value: { type: "string", value: "a b" } }] }),
    otlpSpan({
      spanId: "00000000000000b2",
      parentSpanId: "d8b7eb2154448f9d",
      service: "db",
      kind: "client",
      status: { code: "error", message: "" },
    }),
    otlpSpan({ traceId: otherTraceId, parentSpanId: "00000000000000ff", durationNano: 9_000_000n }),
  ]);
  server = await openHttpServer({
    ...sampleSettings(),
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    service: sampleService({ ...openMemoryStore(), reader: store.reader }),
    page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
    uiFolder: "/nowhere",
    basePath: "",
    log,
  });
  base = `http://127.0.0.1:${server.port}/api/v3`;
});

afterAll(() => server.stop(AbortSignal.abort()));

const times = { startTimeMin: "2020-01-01T00:00:00.000Z", startTimeMax: "2100-01-01T00:00:00.000Z" };

function search(path: string, query: Record<string, string>): Promise<Response> {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [`query.${name}`, value]);
  return fetch(`${base}/${path}?${new URLSearchParams(pairs)}`);
}

async function found(query: Record<string, string>): Promise<string[]> {
  const response = await search("trace-summaries", { ...times, ...query });
  expect(response.status).toBe(200);
  const { summaries = [] } = (await response.json()) as { summaries?: { traceId: string }[] };
  return summaries.map(({ traceId }) => traceId).sort();
}

test("a summary has all that a list shows, and leaves out what is zero", async () => {
  const response = await search("trace-summaries", { ...times, serviceName: "db" });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({
    summaries: [
      {
        traceId: sampleTraceId,
        rootServiceName: "shop",
        rootOperationName: "GET /",
        minStartTimeUnixNano: expect.stringMatching(/^\d{19}$/),
        maxEndTimeUnixNano: expect.stringMatching(/^\d{19}$/),
        spanCount: 2,
        errorSpanCount: 1,
        services: [
          { name: "db", spanCount: 1, errorSpanCount: 1 },
          { name: "shop", spanCount: 1 },
        ],
      },
    ],
  });
  const [orphan] = (
    (await (await search("trace-summaries", { ...times, durationMin: "5ms" })).json()) as {
      summaries: object[];
    }
  ).summaries;
  expect(orphan).toMatchObject({ traceId: otherTraceId, orphanSpanCount: 1 });
  expect(orphan).not.toHaveProperty("rootServiceName");
});

test.each<[string, Record<string, string>, string[]]>([
  ["no service", {}, [otherTraceId, sampleTraceId].sort()],
  ["a service in camelCase", { serviceName: "db" }, [sampleTraceId]],
  ["a service with underscores", { service_name: "db" }, [sampleTraceId]],
  ["an operation", { serviceName: "db", operationName: "none" }, []],
  ["attributes", { attributes: '{"shard":"a b"}' }, [sampleTraceId]],
  ["attributes of nobody", { attributes: '{"shard":"a"}' }, []],
  ["a duration", { durationMin: "5ms" }, [otherTraceId]],
  ["the longest duration", { duration_max: "5ms" }, [sampleTraceId]],
])("%s", async (_name, query, ids) => {
  expect(await found(query)).toEqual(ids);
});

test("a limit by each of its names", async () => {
  for (const name of ["searchDepth", "search_depth", "num_traces", "numTraces"]) {
    expect(await found({ [name]: "1" })).toHaveLength(1);
  }
});

test("nothing found is an empty object", async () => {
  const response = await search("trace-summaries", { ...times, serviceName: "none" });
  expect([response.status, await response.text()]).toEqual([200, "{}"]);
});

test.each<[Record<string, string>, string]>([
  [{ startTimeMin: "x", startTimeMax: "y" }, "malformed parameter query.startTimeMin: "],
  [{ start_time_min: "x", start_time_max: "y" }, "malformed parameter query.start_time_min: "],
  [{}, "query.start_time_min and query.start_time_max are required"],
  [{ ...times, searchDepth: "x" }, "malformed parameter query.searchDepth: "],
  [{ ...times, durationMin: "x" }, "malformed parameter query.durationMin: "],
  [
    { ...times, attributes: '{"a":1}' },
    "malformed parameter query.attributes, cannot unmarshal JSON: json: ",
  ],
  [{ ...times, filter: "{}" }, "query.filter is not supported: "],
])("%j: %s", async (query, message) => {
  for (const path of ["traces", "trace-summaries"]) {
    const response = await search(path, query);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { httpCode: number; message: string } };
    expect(error).toEqual({ httpCode: 400, message: expect.stringContaining(message) });
  }
});

test.each([
  ["hex", otherTraceId, 200],
  ["base64", Buffer.from(otherTraceId, "hex").toString("base64"), 200],
  ["base64url", Buffer.from(otherTraceId, "hex").toString("base64url"), 200],
  ["base64 of too few bytes", Buffer.from("0011223344", "hex").toString("base64"), 400],
  ["nonsense", "zz", 400],
])("a trace by its id in %s", async (_form, id, status) => {
  const response = await fetch(`${base}/traces/${encodeURIComponent(id)}`);
  expect([response.status, await response.text()]).toEqual([
    status,
    expect.stringContaining(
      status === 200 ? otherTraceId : "malformed parameter trace_id: strconv.ParseUint",
    ),
  ]);
});

test("operations of a kind by both names of the parameter", async () => {
  for (const name of ["spanKind", "span_kind"]) {
    const response = await fetch(`${base}/operations?service=db&${name}=client`);
    expect(await response.json()).toEqual({ operations: [{ name: "GET /", spanKind: "client" }] });
  }
});
