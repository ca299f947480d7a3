import { afterAll, beforeAll, expect, test } from "vitest";
import { otlpSpan, sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";

let server: SampleServer;
const nowUs = Date.now() * 1_000;

beforeAll(async () => {
  const string = (key: string, value: string) => ({ key, value: { type: "string", value } }) as const;
  const store = await sampleStore([
    otlpSpan({ attributes: [string("a/b", "x"), string("http.method", "GET")] }),
    otlpSpan({ spanId: "00000000000000b2", service: "stock", attributes: [string("http.method", "PUT")] }),
    otlpSpan({
      spanId: "00000000000000b3",
      attributes: [string("http.method", "GET"), { key: "n", value: { type: "int", value: 5n } }],
    }),
  ]);
  server = await openSampleServer(store);
});
afterAll(() => server.stop(AbortSignal.abort()));

const addressOf = (path: string) => `${server.base}/api/analysis/v1/attributes${path}`;

test.each([
  ["?scope=span", ["a/b", "http.method", "n"]],
  ["?scope=span&prefix=http.", ["http.method"]],
  ["?scope=span&limit=1", ["http.method"]],
  ["?scope=span&service=stock", ["http.method"]],
  ["?scope=span&tag=n:5", ["http.method", "n"]],
  ["?scope=resource", ["service.name"]],
  ["?prefix=span:stat", ["span:status", "span:statusMessage"]],
  [`?scope=span&start=1&end=2`, []],
])("names: %s", async (query, names) => {
  const response = await fetch(addressOf(query));
  expect(response.status).toBe(200);
  const { attributes } = (await response.json()) as { attributes: { scope: string; name: string }[] };
  expect(attributes.map(({ name }) => name)).toEqual(names);
});

test.each([
  [
    "/span/http.method/values",
    [
      { type: "string", value: "GET", count: 2 },
      { type: "string", value: "PUT", count: 1 },
    ],
  ],
  ["/span/http.method/values?service=stock", [{ type: "string", value: "PUT", count: 1 }]],
  ["/span/http.method/values?prefix=P&limit=1", [{ type: "string", value: "PUT", count: 1 }]],
  ["/span/n/values", [{ type: "int", value: "5", count: 1 }]],
  ["/span/a%2Fb/values", [{ type: "string", value: "x", count: 1 }]],
  ["/intrinsic/span:status/values?prefix=e", [{ type: "keyword", value: "error" }]],
  [
    "/resource/service.name/values",
    [
      { type: "string", value: "shop", count: 2 },
      { type: "string", value: "stock", count: 1 },
    ],
  ],
  ["/span/'%20OR%201=1%20--/values", []],
])("values: %s", async (path, values) => {
  const response = await fetch(addressOf(path));
  expect([response.status, await response.json()]).toEqual([200, { values }]);
});

test.each([
  ["?scope=nonsense", "scope"],
  ["?limit=0", "limit"],
  ["?limit=10001", "limit"],
  ["?nonsense=1", "nonsense"],
  [`?start=${nowUs}&end=${nowUs}`, "end"],
  ["?start=x", "start"],
  [`?prefix=${"x".repeat(4_097)}`, "prefix"],
  ["/nonsense/a/values", "scope"],
  ["/span/a/values?limit=1.5", "limit"],
  ["/span/a/values?minDuration=5", "minDuration"],
  ["/span/a/values?tag=x", "tag"],
])("%s is refused: %s", async (path, parameter) => {
  const response = await fetch(addressOf(path));
  expect([response.status, response.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
  expect(await response.json()).toMatchObject({ status: 400, code: "QUERY_BAD_PARAMETER", parameter });
});

test("a name that is too long", async () => {
  const response = await fetch(addressOf(`/span/${"x".repeat(9_000)}/values`));
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ code: "STORAGE_BAD_QUERY", detail: expect.stringContaining("limit of 8192") }),
  ]);
});
