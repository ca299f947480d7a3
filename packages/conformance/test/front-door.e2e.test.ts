// The two services together: the web server in front of the UI and the collector, tracing its own requests.

import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type AllProcesses, openAllProcesses } from "../src/all-processes/all-processes.ts";
import { eventually, expectEqual } from "../src/expect.ts";
import { ask, askTraces } from "../src/tracing-api/ask.ts";
import { sampleTrace } from "../src/tracing-api/sample-trace.ts";

let backend: AllProcesses;

beforeAll(async () => {
  backend = await openAllProcesses();
});

afterAll(() => backend?.close());

/** Names of the front door's spans that serve a request. */
async function served(): Promise<string[]> {
  const traces = await askTraces(`${backend.addresses.query}/api/traces?service=front-door&limit=1000`);
  return traces
    .flatMap(({ spans }) => spans)
    .filter(({ tags }) => tags.some(({ key, value }) => key === "span.kind" && value === "server"))
    .map(({ operationName }) => operationName);
}

test("what the UI asks leaves no spans beside the user's, what others ask is named after its route", async () => {
  const page = await ask(`${backend.frontDoor}/search`);
  expect(page.status).toBe(200);
  expect(page.contentType).toContain("text/html");
  const fromPage = { headers: { Referer: `${backend.frontDoor}/search?service=a` } };
  for (const path of ["/api/services", "/api/operations?service=a", "/tempo/api/search/tags"]) {
    expect((await ask(`${backend.frontDoor}${path}`, fromPage)).status, path).toBe(200);
  }
  const elsewhere = { headers: { Referer: "http://grafana.example/d/1" } };
  await ask(`${backend.frontDoor}/api/services/shop-1234/operations`);
  await ask(`${backend.frontDoor}/tempo/api/v2/search/tag/span.customer/values`, elsewhere);
  await eventually(async () => {
    expectEqual(
      (await served()).toSorted(),
      ["GET /api/services/:service/operations", "GET /tempo/api/v2/search/tag/:tag/values"],
      "spans",
    );
  }, 30_000);
});

const descriptionSchema = z.object({ paths: z.record(z.string(), z.unknown()) });

test("each path of the query API has a name of its own among the spans", async () => {
  const answer = await ask(`${backend.addresses.query}/api/openapi.json`);
  const paths = Object.keys(descriptionSchema.parse(JSON.parse(answer.text)).paths);
  for (const path of paths) {
    // Operations that need a body or parameters are refused, and streams are aborted: all have a span.
    await fetch(`${backend.frontDoor}${path.replace(/\{\w+\}/g, "46319116")}`, {
      signal: AbortSignal.timeout(2_000),
    })
      .then((response) => response.body?.cancel())
      .catch(() => {});
  }
  const wanted = paths.map((path) => `GET ${path.replace(/\{(\w+)\}/g, ":$1")}`);
  await eventually(async () => {
    const found = new Set(await served());
    expectEqual(
      wanted.filter((name) => !found.has(name)),
      [],
      "names that no span has",
    );
  }, 30_000);
});

test("a caller's trace goes on through the front door", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  await ask(`${backend.frontDoor}/api/services`, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  await eventually(async () => {
    const [trace] = await askTraces(`${backend.addresses.query}/api/traces/${traceId}`);
    const parents = trace?.spans.map((span) => span.references[0]?.spanID);
    expectEqual(parents?.includes("00f067aa0ba902b7"), true, `parents ${parents}`);
  }, 30_000);
});

test("spans sent to the front door reach the collector", async () => {
  const sample = sampleTrace();
  const answer = await ask(`${backend.frontDoor}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(sample.otlpJson),
  });
  expect(answer).toMatchObject({ status: 200, text: '{"partialSuccess":{}}' });
  await eventually(async () => {
    const traces = await askTraces(`${backend.frontDoor}/api/traces/${sample.traceId}`);
    expectEqual(traces[0]?.spans.length, 2, "spans");
  }, 30_000);
});
