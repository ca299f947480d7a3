// Unusual but valid spans: each is accepted, stored and found, and none affects other spans of its block.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type AllProcesses, openAllProcesses } from "../src/all-processes/all-processes.ts";
import { eventually } from "../src/expect.ts";
import { ask, askTraces } from "../src/tracing-api/ask.ts";
import { type JsonSpan, jsonHeaders, jsonRequest, jsonSpan } from "./bad-input/otlp-spans.ts";

let backend: AllProcesses;

beforeAll(async () => {
  backend = await openAllProcesses();
});

afterAll(() => backend?.close());

/** Milliseconds until a step fails, long enough for a busy machine. */
const withinMs = 20_000;

const latest = "18446744073709551615";
const attribute = (key: string, value?: unknown) => (value === undefined ? { key } : { key, value });

const strange: Readonly<Record<string, JsonSpan>> = {
  "a start and an end at the end of time": { startTimeUnixNano: latest, endTimeUnixNano: latest },
  "an end at the end of time": { endTimeUnixNano: latest },
  "an end before its start": { endTimeUnixNano: "1" },
  "no times": { startTimeUnixNano: "0", endTimeUnixNano: "0" },
  "times on both sides of 2^63": {
    startTimeUnixNano: "9223372036854775807",
    endTimeUnixNano: "9223372036854775808",
  },
  "no name": { name: "" },
  "a name of a megabyte": { name: "n".repeat(1_000_000) },
  "a name with NUL and line ends": { name: "a\0b\r\n\tc" },
  "a name with half a surrogate pair": { name: "\ud800" },
  "an attribute of three megabytes": { attributes: [attribute("k", { stringValue: "x".repeat(3_000_000) })] },
  "20,000 attributes": {
    attributes: Array.from({ length: 20_000 }, (_, index) => attribute(`k${index}`, { intValue: index })),
  },
  "the same key twice": {
    attributes: [attribute("k", { intValue: 1 }), attribute("k", { stringValue: "x" })],
  },
  "attributes without a value": {
    attributes: [attribute("a"), attribute("b", {}), attribute("", { intValue: 1 })],
  },
  "numbers that are none": {
    attributes: ["NaN", "Infinity", "-Infinity"].map((text) => attribute(text, { doubleValue: text })),
  },
  "names of prototypes as keys": {
    attributes: ["__proto__", "constructor"].map((key) => attribute(key, { stringValue: key })),
  },
  "kind and status of no known number": { kind: 99, status: { code: 99, message: "m".repeat(10_000) } },
  "events at both ends of time": {
    events: [
      { timeUnixNano: latest, name: "e" },
      { timeUnixNano: "0", name: "" },
    ],
  },
  "links to nowhere": {
    links: [
      { traceId: "0".repeat(32), spanId: "0".repeat(16) },
      { traceId: "", spanId: "" },
    ],
  },
  "itself as its parent": { spanId: "1".repeat(16), parentSpanId: "1".repeat(16) },
  "a parent of zeros": { parentSpanId: "0".repeat(16) },
  "the greatest counts and a long trace state": {
    flags: 4_294_967_295,
    droppedAttributesCount: 4_294_967_295,
    traceState: "x".repeat(100_000),
  },
};

test("each is stored, with the ordinary ones of its block, and found", async () => {
  const spans = Object.values(strange).flatMap((fields) => [jsonSpan(fields), jsonSpan()]);
  for (const span of spans) {
    const body = jsonRequest("strange-spans", span);
    const answer = await ask(`${backend.addresses.otlpHttp}/v1/traces`, {
      method: "POST",
      headers: jsonHeaders,
      body,
    });
    expect(answer).toMatchObject({ status: 200, text: '{"partialSuccess":{}}' });
  }
  for (const { traceId, name } of spans) {
    await eventually(async () => {
      const [trace] = await askTraces(`${backend.addresses.query}/api/traces/${traceId}`);
      expect(trace?.spans.map(({ operationName }) => operationName)).toEqual([String(name).toWellFormed()]);
    }, withinMs);
  }
  const metrics = await (await fetch(backend.collector.metricsUrl)).text();
  expect(metrics).toMatch(/^tracing_collector_quarantined_spans_total 0$/m);
});

test("services with names of every kind are taken, and named so", async () => {
  const names = [
    "",
    " ",
    "\0",
    "..",
    "a/b",
    "%2e",
    "__proto__",
    "'; DROP TABLE spans; --",
    "s".repeat(5_000),
  ];
  const sent = names.map((service) => ({ service, span: jsonSpan() }));
  for (const { service, span } of sent) {
    const body = jsonRequest(service, span);
    await ask(`${backend.addresses.otlpHttp}/v1/traces`, { method: "POST", headers: jsonHeaders, body });
  }
  for (const { service, span } of sent) {
    await eventually(async () => {
      const [trace] = await askTraces(`${backend.addresses.query}/api/traces/${span.traceId}`);
      const [{ processID = "" } = {}] = trace?.spans ?? [];
      // The public model has a special name for services without a name.
      expect(trace?.processes[processID]?.serviceName).toBe(service === "" ? "empty-service-name" : service);
    }, withinMs);
  }
});
