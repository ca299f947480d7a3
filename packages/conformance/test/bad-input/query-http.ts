import { expect, test } from "vitest";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { eventually } from "../../src/expect.ts";
import { ask, askData, askTraces } from "../../src/tracing-api/ask.ts";
import { jsonHeaders, jsonRequest, jsonSpan } from "./otlp-spans.ts";
import { head, rawHttp } from "./raw-http.ts";
import { staysUnharmed } from "./unharmed.ts";

/** Texts that would do harm, or find too much, if they were inserted unchanged into SQL or a pattern. */
const hostileTexts = [
  "'; DROP TABLE spans; --",
  "' OR 1=1 --",
  "{x:String}",
  "{service:String}",
  "a\\",
  "\\'",
  "`",
  "%",
  "_",
  "..",
  "\t\n\r\0",
  "\\N",
  "__proto__",
  "\u{1f600}",
];

/** Makes a table row. The test's name is the path, cut after 80 characters. */
function named(path: string): [name: string, path: string] {
  return [path.length > 80 ? `${path.slice(0, 80)}…` : path, path];
}

/** Tests of the query service's HTTP API. */
export function queryHttp(backend: () => AllProcesses): void {
  const url = (path: string) => `${backend().addresses.query}${path}`;

  staysUnharmed({
    process: () => backend().query,
    good: () => askData(url("/api/services")),
    maxGrowthMiB: 128,
  });

  test.each(
    [
      "/api/traces/zz",
      `/api/traces/${"1".repeat(33)}`,
      "/api/traces/%00",
      "/api/traces/%zz",
      "/api/traces/..%2f..%2fetc%2fpasswd",
      "/api/traces",
      "/api/traces?service=a&limit=many",
      "/api/traces?service=a&limit=99999999999",
      "/api/traces?service=a&start=now",
      `/api/traces?service=a&start=${"9".repeat(10_000)}`,
      "/api/traces?service=a&minDuration=long",
      "/api/traces?service=a&minDuration=99999999999h",
      "/api/traces?service=a&minDuration=2s&maxDuration=1s",
      "/api/traces?service=a&tags=%5B",
      `/api/traces?service=a&tags=${"%5B".repeat(4_000)}`,
      "/api/traces?service=a&tags=%5B1%5D",
      "/api/traces?service=a&tags=%7B%22a%22%3A1%7D",
      "/api/traces?service=a&tag=nocolon",
      "/api/traces?traceID=zz",
      "/api/traces?traceID=1&traceID=zz",
      "/api/services/%ff/operations",
      "/api/operations",
    ].map(named),
  )("%s is 400 in the envelope", async (_, path) => {
    const { status, text } = await ask(url(path));
    expect([status, JSON.parse(text)]).toEqual([
      400,
      { data: null, total: 0, limit: 0, offset: 0, errors: [{ code: 400, msg: expect.stringMatching(/./) }] },
    ]);
  });

  test.each([
    "/api/traces?service=a&start=-9223372036854775808&end=9223372036854775807",
    "/api/traces?service=a&start=2&end=1",
    "/api/traces?service=a&limit=-5",
    "/api/traces?service=a&limit=2147483647",
    "/api/traces?service=a&minDuration=-1s",
    "/api/traces?service=%ff%00",
    "/api/traces?service=a&tags=%7B%22__proto__%22%3A%22x%22%2C%22constructor%22%3A%22y%22%7D",
    "/api/operations?service=a&spanKind=bogus",
  ])("%s finds nothing", async (path) => {
    expect(await askData(url(path))).toEqual([]);
  });

  test("a query of 100 KB is 431, or cut while it comes", async () => {
    const { status } = await rawHttp(
      url("/"),
      head(`GET /api/traces?service=${"a".repeat(100_000)} HTTP/1.1`, "Host: x"),
    );
    expect([431, 0]).toContain(status);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "PROPFIND"])("%s of a search is 405", async (method) => {
    expect((await ask(url("/api/traces?service=a"), { method })).status).toBe(405);
  });

  // Clients normalize paths; these paths are sent unchanged.
  test.each([
    "/static/..%2f..%2fpackage.json",
    "/static/%2e%2e/%2e%2e/package.json",
    "/static/..%5c..%5cpackage.json",
    "/static/%00",
    "/static/.env",
  ])("GET %s leads out of no folder", async (path) => {
    const { status, text } = await rawHttp(
      url("/"),
      head(`GET ${path} HTTP/1.1`, "Host: x", "Connection: close"),
    );
    expect(status).toBe(404);
    expect(text).not.toMatch(/"name"|root:/);
  });

  test.each([
    ["/static/../../package.json", "/package.json"],
    ["/static//etc/passwd", "/static/etc/passwd"],
    ["//evil.example/%2e%2e", "/evil.example/%2e%2e"],
  ])("GET %s is sent to %s, on this server", async (path, location) => {
    const { status, text } = await rawHttp(
      url("/"),
      head(`GET ${path} HTTP/1.1`, "Host: x", "Connection: close"),
    );
    expect(status).toBe(301);
    expect(text).toContain(`Location: ${location}\r\n`);
  });

  test.each([
    [
      "two lengths",
      "POST /api/transform HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["an unknown method", head("FOO /api/services HTTP/1.1", "Host: x")],
    ["what is no HTTP", "\0\x01\r\n\r\n"],
  ])("%s is 400", async (_, text) => {
    expect((await rawHttp(url("/"), text)).status).toBe(400);
  });

  test("hostile texts as service, operation and tag are texts: each finds its own span and no other", async () => {
    const spans = hostileTexts.map((text) => ({
      text,
      service: `bad-query ${text}`,
      span: jsonSpan({ name: text, attributes: [{ key: text, value: { stringValue: text } }] }),
    }));
    for (const { service, span } of spans) {
      await ask(`${backend().addresses.otlpHttp}/v1/traces`, {
        method: "POST",
        headers: jsonHeaders,
        body: jsonRequest(service, span),
      });
    }
    for (const { text, service, span } of spans) {
      await eventually(() => askTraces(url(`/api/traces/${span.traceId}`)), 5_000);
      const tags = encodeURIComponent(JSON.stringify({ [text]: text }));
      const search = `/api/traces?service=${encodeURIComponent(service)}`;
      for (const filter of ["", `&operation=${encodeURIComponent(text)}`, `&tags=${tags}`]) {
        const found = (await askTraces(url(search + filter))).map(({ traceID }) => traceID.padStart(32, "0"));
        expect([text, filter, found]).toEqual([text, filter, [span.traceId]]);
      }
      const operations = await askData(url(`/api/services/${encodeURIComponent(service)}/operations`));
      expect([text, operations]).toEqual([text, [text]]);
    }
  });
}
