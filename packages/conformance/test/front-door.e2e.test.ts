// The two services together: the web server in front of the UI and the collector, tracing its own requests.

import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, expectEqual } from "../src/expect.ts";
import { type House, openHouse } from "../src/house/house.ts";
import { ask, askTraces } from "../src/tracing-api/ask.ts";
import { sampleTrace } from "../src/tracing-api/sample-trace.ts";

let house: House;

beforeAll(async () => {
  house = await openHouse();
});

afterAll(() => house?.close());

test("the first page view is a trace", async () => {
  const page = await ask(`${house.frontDoor}/search`);
  expect(page.status).toBe(200);
  expect(page.contentType).toContain("text/html");
  await eventually(async () => {
    const traces = await askTraces(`${house.addresses.query}/api/traces?service=front-door`);
    const span = traces
      .flatMap((trace) => trace.spans)
      .find(({ operationName }) => operationName === "GET /search");
    expectEqual(
      span?.tags.find((tag) => tag.key === "http.response.status_code")?.value,
      200,
      "status of the page view",
    );
  }, 30_000);
});

test("a caller's trace goes on through the front door", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  await ask(`${house.frontDoor}/api/services`, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  await eventually(async () => {
    const [trace] = await askTraces(`${house.addresses.query}/api/traces/${traceId}`);
    const parents = trace?.spans.map((span) => span.references[0]?.spanID);
    expectEqual(parents?.includes("00f067aa0ba902b7"), true, `parents ${parents}`);
  }, 30_000);
});

test("spans sent to the front door reach the collector", async () => {
  const sample = sampleTrace();
  const answer = await ask(`${house.frontDoor}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(sample.otlpJson),
  });
  expect(answer).toMatchObject({ status: 200, text: '{"partialSuccess":{}}' });
  await eventually(async () => {
    const traces = await askTraces(`${house.frontDoor}/api/traces/${sample.traceId}`);
    expectEqual(traces[0]?.spans.length, 2, "spans");
  }, 30_000);
});
