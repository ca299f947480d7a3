// Real clients of every kind: what they send is found within two seconds, with every attribute and its type.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import jaeger from "jaeger-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../src/expect.ts";
import { type House, openHouse } from "../src/house/house.ts";
import { askTraces, type UiTrace } from "../src/tracing-api/ask.ts";

const visibleWithinMs = 2_000;
let house: House;

beforeAll(async () => {
  house = await openHouse();
});

afterAll(() => house?.close());

/** The tags of the one span of a service, once it is there. */
async function tagsOf(service: string): Promise<Map<string, [type: string, value: unknown]>> {
  const found = await eventually(async (): Promise<UiTrace> => {
    const [first] = await askTraces(`${house.addresses.query}/api/traces?service=${service}`);
    if (first === undefined) throw new Error(`no trace of ${service}`);
    return first;
  }, visibleWithinMs);
  return new Map(found.spans[0]?.tags.map((tag) => [tag.key, [tag.type, tag.value]]));
}

test("OpenTelemetry SDK for JavaScript, OTLP over gRPC", async () => {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "client-js" }),
    spanProcessors: [
      new SimpleSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `http://${house.addresses.otlpGrpc}` }),
      }),
    ],
  });
  const span = provider.getTracer("test").startSpan("js work");
  span.setAttributes({ text: "grüße", whole: 42, part: 2.5, yes: true, list: ["a", "b"] });
  expect(trace.isSpanContextValid(span.spanContext())).toBe(true);
  span.end();
  await provider.forceFlush();
  await provider.shutdown();
  const tags = await tagsOf("client-js");
  expect(tags.get("text")).toEqual(["string", "grüße"]);
  expect(tags.get("whole")).toEqual(["int64", 42]);
  expect(tags.get("part")).toEqual(["float64", 2.5]);
  expect(tags.get("yes")).toEqual(["bool", true]);
  expect(tags.get("list")).toEqual(["string", '["a","b"]']);
});

const python = [process.env.TEST_PYTHON, "python3"].find(
  (program) =>
    program !== undefined &&
    spawnSync(program, ["-c", "import opentelemetry.sdk, opentelemetry.exporter.otlp.proto.http"]).status ===
      0,
);

test.skipIf(python === undefined)(
  "OpenTelemetry SDK for Python, OTLP over HTTP (skipped without python3 and opentelemetry-sdk)",
  async () => {
    const script = fileURLToPath(new URL("./clients/send-span.py", import.meta.url));
    const run = spawnSync(python ?? "", [script], {
      encoding: "utf8",
      env: {
        ...process.env,
        OTEL_SERVICE_NAME: "client-python",
        OTEL_EXPORTER_OTLP_ENDPOINT: house.addresses.otlpHttp,
      },
    });
    expect(run.status, run.stderr).toBe(0);
    const tags = await tagsOf("client-python");
    expect(tags.get("text")).toEqual(["string", "grüße"]);
    expect(tags.get("whole")).toEqual(["int64", 42]);
    expect(tags.get("part")).toEqual(["float64", 2.5]);
    expect(tags.get("yes")).toEqual(["bool", true]);
    expect(tags.get("list")).toEqual(["string", '["a","b"]']);
  },
);

test("jaeger-client, Thrift binary over UDP through the agent", async () => {
  const tracer = jaeger.initTracer(
    {
      serviceName: "client-jaeger",
      sampler: { type: "const", param: 1 },
      reporter: { agentHost: "127.0.0.1", agentPort: house.agentBinaryPort, flushIntervalMs: 50 },
    },
    { tags: { zone: "a" } },
  );
  const span = tracer.startSpan("udp work");
  span.setTag("text", "grüße").setTag("whole", 42).setTag("yes", true);
  span.log({ event: "done", size: 7 });
  span.finish();
  await new Promise<void>((resolve) => tracer.close(() => resolve()));
  const tags = await tagsOf("client-jaeger");
  expect(tags.get("text")).toEqual(["string", "grüße"]);
  expect(tags.get("whole")?.[1]).toBe(42);
  expect(tags.get("yes")).toEqual(["bool", true]);
});

test("curl, OTLP JSON", async () => {
  const now = BigInt(Date.now()) * 1_000_000n;
  const body = {
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "client-curl" } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: "5b8efff798038103d269b633813fc60c",
                spanId: "eee19b7ec3c1b174",
                name: "curl work",
                startTimeUnixNano: String(now),
                endTimeUnixNano: String(now + 1_000_000n),
                attributes: [{ key: "whole", value: { intValue: "42" } }],
              },
            ],
          },
        ],
      },
    ],
  };
  const curl = spawnSync(
    "curl",
    [
      "-sS",
      "-H",
      "Content-Type: application/json",
      "-d",
      JSON.stringify(body),
      `${house.addresses.otlpHttp}/v1/traces`,
    ],
    { encoding: "utf8" },
  );
  expect(curl.stdout).toBe('{"partialSuccess":{}}');
  expect((await tagsOf("client-curl")).get("whole")).toEqual(["int64", 42]);
});
