// Real clients of every kind: their spans are found within two seconds, with every attribute and its type.

import { spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SpanKind, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { ZipkinExporter } from "@opentelemetry/exporter-zipkin";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import jaeger from "jaeger-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import zipkin from "zipkin";
import { HttpLogger } from "zipkin-transport-http";
import { type AllProcesses, openAllProcesses } from "../src/all-processes/all-processes.ts";
import { eventually } from "../src/expect.ts";
import { askTraces, type UiTrace } from "../src/tracing-api/ask.ts";
import { runProgram } from "./clients/program.ts";

const visibleWithinMs = 20_000;
let backend: AllProcesses;

beforeAll(async () => {
  backend = await openAllProcesses();
});

afterAll(() => backend?.close());

/** Waits for the only span of a service, or for the span with this name. */
async function spanOf(service: string, operation?: string): Promise<UiTrace["spans"][number]> {
  return eventually(async () => {
    const found = await askTraces(`${backend.addresses.query}/api/traces?service=${service}`);
    const spans = found.flatMap((one) => one.spans);
    const span = operation === undefined ? spans[0] : spans.find((one) => one.operationName === operation);
    if (span === undefined) {
      throw new Error(`no span of ${service}`);
    }
    return span;
  }, visibleWithinMs);
}

type Tags = Map<string, [type: string, value: unknown]>;

const mapOf = (tags: UiTrace["spans"][number]["tags"]): Tags =>
  new Map(tags.map(({ key, type, value }) => [key, [type, value]]));

/** Waits for the only span of a service, and returns its tags. */
const tagsOf = async (service: string, operation?: string): Promise<Tags> =>
  mapOf((await spanOf(service, operation)).tags);

/** The settings of OpenTelemetry's clients. */
function expectEveryType(tags: Tags): void {
  expect(tags.get("text")).toEqual(["string", "grüße"]);
  expect(tags.get("whole")).toEqual(["int64", 42]);
  expect(tags.get("part")).toEqual(["float64", 2.5]);
  expect(tags.get("yes")).toEqual(["bool", true]);
  expect(tags.get("list")).toEqual(["string", '["a","b"]']);
}

test("OpenTelemetry SDK for JavaScript, OTLP over gRPC", async () => {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "client-js" }),
    spanProcessors: [
      new SimpleSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `http://${backend.addresses.otlpGrpc}` }),
      }),
    ],
  });
  const span = provider.getTracer("test").startSpan("js work");
  span.setAttributes({ text: "grüße", whole: 42, part: 2.5, yes: true, list: ["a", "b"] });
  expect(trace.isSpanContextValid(span.spanContext())).toBe(true);
  span.end();
  await provider.forceFlush();
  await provider.shutdown();
  expectEveryType(await tagsOf("client-js"));
});

test("OpenTelemetry's exporter for Zipkin, for JavaScript", async () => {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "client-js-zipkin" }),
    spanProcessors: [
      new SimpleSpanProcessor({ exporter: new ZipkinExporter({ url: `${backend.zipkin}/api/v2/spans` }) }),
    ],
  });
  const span = provider.getTracer("test").startSpan("js work", { kind: SpanKind.SERVER });
  span.setAttributes({ text: "grüße", whole: 42 });
  span.addEvent("done");
  span.end();
  await provider.forceFlush();
  await provider.shutdown();
  const found = await spanOf("client-js-zipkin");
  const tags = mapOf(found.tags);
  expect(tags.get("text")).toEqual(["string", "grüße"]);
  // Tags of Zipkin are texts.
  expect(tags.get("whole")).toEqual(["string", "42"]);
  expect(tags.get("span.kind")).toEqual(["string", "server"]);
  expect(found.logs[0]?.fields).toEqual([{ key: "event", type: "string", value: "done" }]);
});

test.each([
  ["v1", zipkin.jsonEncoder.JSON_V1],
  ["v2", zipkin.jsonEncoder.JSON_V2],
])("zipkin for JavaScript, JSON of %s", async (version, jsonEncoder) => {
  const service = `client-zipkin-${version}`;
  const logger = new HttpLogger({
    endpoint: `${backend.zipkin}/api/${version}/spans`,
    jsonEncoder,
    httpInterval: 10,
  });
  // The client's types do not declare this.
  if (!(logger instanceof EventEmitter)) {
    throw new Error("the client does not tell when it has sent");
  }
  const sent = once(logger, "success");
  const tracer = new zipkin.Tracer({
    ctxImpl: new zipkin.ExplicitContext(),
    recorder: new zipkin.BatchRecorder({ logger }),
    localServiceName: service,
    traceId128Bit: true,
  });
  tracer.letId(tracer.createRootId(), () => {
    tracer.recordServiceName(service);
    tracer.recordRpc("get /cart");
    tracer.recordAnnotation(new zipkin.Annotation.ServerRecv());
    tracer.recordBinary("text", "grüße");
    tracer.recordAnnotation(new zipkin.Annotation.ServerSend());
  });
  await sent;
  const found = await spanOf(service);
  expect(found.operationName).toBe("get /cart");
  const tags = mapOf(found.tags);
  expect(tags.get("text")).toEqual(["string", "grüße"]);
  expect(tags.get("span.kind")).toEqual(["string", "server"]);
});

test.each(["Thrift binary over UDP through the agent", "Thrift over HTTP"])(
  "jaeger-client, %s",
  async (way) => {
    const overHttp = way === "Thrift over HTTP";
    const service = overHttp ? "client-jaeger-http" : "client-jaeger";
    const tracer = jaeger.initTracer(
      {
        serviceName: service,
        sampler: { type: "const", param: 1 },
        reporter: {
          ...(overHttp
            ? { collectorEndpoint: `${backend.collectorHttp}/api/traces` }
            : { agentHost: "127.0.0.1", agentPort: backend.agentBinaryPort }),
          flushIntervalMs: 50,
        },
      },
      { tags: { zone: "a" } },
    );
    const span = tracer.startSpan("work");
    span.setTag("text", "grüße").setTag("whole", 42).setTag("yes", true);
    span.log({ event: "done", size: 7 });
    span.finish();
    await new Promise<void>((resolve) => tracer.close(() => resolve()));
    const found = await spanOf(service);
    const tags = mapOf(found.tags);
    expect(tags.get("text")).toEqual(["string", "grüße"]);
    // This client sends every number as a double.
    expect(tags.get("whole")).toEqual(["float64", 42]);
    expect(tags.get("yes")).toEqual(["bool", true]);
    expect(found.logs[0]?.fields[0]).toEqual({ key: "event", type: "string", value: "done" });
  },
);

const python = process.env.TEST_PYTHON ?? "python3";
const hasPython = spawnSync(python, ["--version"]).status === 0;

describe.skipIf(!hasPython)("Python (skipped without python3)", () => {
  const script = fileURLToPath(new URL("./clients/send-span.py", import.meta.url));
  const agent = () => `127.0.0.1:${backend.agentCompactPort}`;

  test.for<[name: string, client: string, address: () => string, check: (tags: Tags) => void]>([
    ["OpenTelemetry, OTLP over HTTP", "otlp-http", () => backend.addresses.otlpHttp, expectEveryType],
    [
      "OpenTelemetry's exporter for Zipkin",
      "zipkin-json",
      () => backend.zipkin,
      (tags) => expect(tags.get("whole")).toEqual(["string", "42"]),
    ],
    [
      "jaeger-client, Thrift compact over UDP",
      "jaeger-client",
      agent,
      (tags) => {
        expect(tags.get("whole")).toEqual(["int64", 42]);
        expect(tags.get("part")).toEqual(["float64", 2.5]);
        expect(tags.get("yes")).toEqual(["bool", true]);
      },
    ],
    [
      "py_zipkin, JSON",
      "py-zipkin-json",
      () => backend.zipkin,
      (tags) => expect(tags.get("whole")).toEqual(["string", "42"]),
    ],
    [
      "py_zipkin, protobuf",
      "py-zipkin-protobuf",
      () => backend.zipkin,
      (tags) => expect(tags.get("whole")).toEqual(["string", "42"]),
    ],
  ])("%s", async ([name, client, address, check], { skip }) => {
    const service = `client-python-${client}`;
    const { status, stderr } = await runProgram(python, [script, client, address(), service]);
    if (status === 3) {
      skip(`${name} for Python is not installed: ${stderr.trim()}`);
    }
    expect(status, stderr).toBe(0);
    const tags = await tagsOf(service);
    expect(tags.get("text")).toEqual(["string", "grüße"]);
    check(tags);
  });
});

const go = process.env.TEST_GO ?? "go";
const hasGo = spawnSync(go, ["version"]).status === 0;

describe.skipIf(!hasGo)("Go (skipped without go, or when its modules cannot be fetched)", () => {
  const source = fileURLToPath(new URL("../clients/go/", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "go-clients-"));
  const program = join(folder, "send");
  let whyNot = "";

  beforeAll(async () => {
    const { status, stderr } = await runProgram(go, ["build", "-buildvcs=false", "-o", program, "."], {
      cwd: source,
      timeoutMs: 240_000,
    });
    if (status !== 0) {
      whyNot = stderr.trim().split("\n").at(-1) ?? "no reason given";
    }
  }, 250_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.for<[name: string, client: string, address: () => string, check: (tags: Tags) => void]>([
    [
      "OpenTelemetry, OTLP over gRPC with gzip",
      "otlp-grpc",
      () => backend.addresses.otlpGrpc,
      (tags) => {
        expectEveryType(tags);
        expect(tags.get("otel.status_description")).toEqual(["string", "bad"]);
      },
    ],
    [
      "OpenTelemetry, OTLP over HTTP with gzip",
      "otlp-http",
      () => new URL(backend.addresses.otlpHttp).host,
      expectEveryType,
    ],
    [
      "jaeger-client-go, Thrift compact over UDP",
      "jaeger-compact",
      () => `127.0.0.1:${backend.agentCompactPort}`,
      (tags) => expect(tags.get("whole")).toEqual(["int64", 42]),
    ],
    [
      "jaeger-client-go, Thrift over HTTP",
      "jaeger-http",
      () => `${backend.collectorHttp}/api/traces?format=jaeger.thrift`,
      (tags) => expect(tags.get("part")).toEqual(["float64", 2.5]),
    ],
    [
      "zipkin-go",
      "zipkin",
      () => `${backend.zipkin}/api/v2/spans`,
      (tags) => expect(tags.get("span.kind")).toEqual(["string", "server"]),
    ],
  ])("%s", { timeout: 180_000 }, async ([name, client, address, check], { skip }) => {
    if (whyNot !== "") {
      skip(`${name} for Go could not be built: ${whyNot}`);
    }
    const service = `client-go-${client}`;
    const { status, stderr } = await runProgram(program, [client, address(), service]);
    expect(status, stderr).toBe(0);
    const span = await spanOf(service, "go work");
    const tags = mapOf(span.tags);
    expect(tags.get("text")).toEqual(["string", "grüße"]);
    check(tags);
    if (client.startsWith("jaeger")) {
      // The reference says FOLLOWS_FROM and has the same span as the parent: one reference with this type.
      expect(span.references.map(({ refType }) => refType)).toEqual(["FOLLOWS_FROM"]);
    }
  });
});

const maven = process.env.TEST_MAVEN ?? "mvn";
const hasMaven = spawnSync(maven, ["--version"]).status === 0;

describe.skipIf(!hasMaven)("Java (skipped without mvn, or when its libraries cannot be fetched)", () => {
  const source = fileURLToPath(new URL("../clients/java/", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "java-clients-"));
  const classPath = [join(folder, "classes"), join(folder, "dependency", "*")].join(delimiter);
  let whyNot = "";

  beforeAll(async () => {
    const build = ["-q", "-B", `-Dbuild.folder=${folder}`, "compile", "dependency:copy-dependencies"];
    const run = (...options: string[]) =>
      runProgram(maven, [...options, ...build], { cwd: source, timeoutMs: 200_000 });
    // Files from an earlier fetch are enough, so the network is not used first.
    const offline = await run("-o");
    const { status, stderr, stdout } = offline.status === 0 ? offline : await run();
    if (status !== 0) {
      whyNot = `${stdout}${stderr}`.trim().split("\n").at(0) ?? "no reason given";
    }
  }, 250_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.for<[name: string, client: string, address: () => string, check: (tags: Tags) => void]>([
    [
      "OpenTelemetry, OTLP over gRPC with gzip",
      "otlp-grpc",
      () => backend.addresses.otlpGrpc,
      (tags) => {
        expectEveryType(tags);
        expect(tags.get("otel.status_description")).toEqual(["string", "bad"]);
      },
    ],
    [
      "OpenTelemetry, OTLP over HTTP with gzip",
      "otlp-http",
      () => backend.addresses.otlpHttp,
      expectEveryType,
    ],
    [
      "jaeger-client, Thrift compact over UDP",
      "jaeger-compact",
      () => `127.0.0.1:${backend.agentCompactPort}`,
      (tags) => expect(tags.get("whole")).toEqual(["int64", 42]),
    ],
    [
      "jaeger-client, Thrift over HTTP",
      "jaeger-http",
      () => `${backend.collectorHttp}/api/traces`,
      (tags) => expect(tags.get("part")).toEqual(["float64", 2.5]),
    ],
    [
      "brave, Zipkin JSON",
      "zipkin",
      () => `${backend.zipkin}/api/v2/spans`,
      (tags) => expect(tags.get("span.kind")).toEqual(["string", "server"]),
    ],
  ])("%s", { timeout: 180_000 }, async ([name, client, address, check], { skip }) => {
    if (whyNot !== "") {
      skip(`${name} for Java could not be built: ${whyNot}`);
    }
    const service = `client-java-${client}`;
    const { status, stderr } = await runProgram("java", [
      ...["-XX:TieredStopAtLevel=1", "-cp", classPath, "clients.Send"],
      ...[client, address(), service],
    ]);
    expect(status, stderr).toBe(0);
    const tags = await tagsOf(service, "java work");
    expect(tags.get("text")).toEqual(["string", "grüße"]);
    check(tags);
  });
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
      `${backend.addresses.otlpHttp}/v1/traces`,
    ],
    { encoding: "utf8" },
  );
  expect(curl.stdout).toBe('{"partialSuccess":{}}');
  expect((await tagsOf("client-curl")).get("whole")).toEqual(["int64", 42]);
});
