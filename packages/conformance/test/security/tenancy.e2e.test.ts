// Two tenants with the same services and trace ids. Every operation that the query service describes, and every call of
// its gRPC services and of the remote storage API, is made for one tenant. The answer is searched for data of the other
// tenant. A new operation is tested without further code, and the test reports when a parameter needs a value.

import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import {
  Client,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryServiceV3 } from "wire/api-v3";
import {
  archiveSpanReaderService,
  dependenciesReaderService,
  metricsQueryService,
  queryService,
  spanReaderService,
} from "wire/grpc";
import { streamingQuerier } from "wire/tempo";
import { z } from "zod";
import { eventually } from "../../src/expect.ts";
import { sharedAttribute, sharedService, type TenantSpans, tenantSpans } from "./tenant-spans.ts";
import { openTracing, type TracingProcesses } from "./tracing-processes.ts";

const tenancy = ["--multi-tenancy.enabled", "--multi-tenancy.tenants", "a,b"];
const visibleWithinMs = 60_000;

const sharedTraceId = randomBytes(16).toString("hex");
/** Rates and durations are calculated for whole minutes. */
const agoMs = 120_000;
const a = tenantSpans("a", sharedTraceId, agoMs);
const b = tenantSpans("b", sharedTraceId, agoMs);

const operationSchema = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean() })).default([]),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()).optional() })),
});

interface Operation extends z.infer<typeof operationSchema> {
  readonly method: string;
  readonly path: string;
}

let tracing: TracingProcesses;
let operations: Operation[];

beforeAll(async () => {
  tracing = await openTracing({
    ...{ storage: tenancy, collector: tenancy },
    query: [...tenancy, "--query.usage.enabled"],
  });
  await store("a", a);
  await store("b", b);
  const document = z
    .object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) })
    .parse(await (await fetch(`http://${tracing.queryHttp}/api/openapi.json`)).json());
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}, 180_000);
afterAll(() => tracing?.close());

async function store(tenant: string, { otlpJson, ownTraceId, marker }: TenantSpans): Promise<void> {
  const body = JSON.stringify(otlpJson);
  const headers = { "Content-Type": "application/json", "x-tenant": tenant };
  const answer = await fetch(`http://${tracing.otlpHttp}/v1/traces`, { method: "POST", headers, body });
  expect(answer.status, await answer.text()).toBe(200);
  await eventually(async () => {
    const trace = await call("GET", `/api/traces/${ownTraceId}`, { "x-tenant": tenant });
    if (!trace.text.includes(marker)) {
      throw new Error(`the spans of ${tenant} are not there: ${trace.text}`);
    }
  }, visibleWithinMs);
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/**
 * Sends one request without fetch, which cannot send a header twice. An endless answer is read only up to its first
 * event.
 */
function call(
  method: string,
  path: string,
  headers: Headers = {},
  body = "",
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const [host, port] = tracing.queryHttp.split(":");
    const request = httpRequest({ host, port, method, path, agent: false }, (response) => {
      let text = "";
      const done = () => {
        resolve({ status: response.statusCode ?? 0, text });
        response.destroy();
      };
      const isEndless = response.headers["content-type"] === "text/event-stream";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        if (isEndless) {
          done();
        }
      });
      response.on("end", done).on("error", reject);
    });
    for (const [name, values] of Object.entries(headers)) {
      request.setHeader(name, typeof values === "string" ? values : [...values]);
    }
    request.on("error", reject).end(body);
  });
}

/** Values for required parameters, and for parameters that a round adds. */
type Values = Readonly<Record<string, string>>;

const hourUs = 3_600_000_000;
const required = (): Values => ({
  service: sharedService,
  operation: "any",
  traceId: sharedTraceId,
  scope: "span",
  name: sharedAttribute,
  tag: `span.${sharedAttribute}`,
  duration: "5ms",
  a: sharedTraceId,
  b: a.ownTraceId,
  "query.serviceName": sharedService,
  "query.startTimeMin": "2020-01-01T00:00:00Z",
  "query.startTimeMax": "2100-01-01T00:00:00Z",
  quantile: "0.95",
  q: `{ } | rate() by (span.${sharedAttribute})`,
  lookback: String(hourUs / 1000),
  by: `span.${sharedAttribute}`,
  id: "00000000-0000-4000-8000-000000000000",
});

/** Different requests for each operation; none of them contains a text that must not be found. */
const rounds = (): Values[] => [
  {},
  { service: sharedService, step: "60000", groupByOperation: "true" },
  { service: a.ownService, "query.serviceName": a.ownService, step: "60000", groupByOperation: "true" },
  { traceId: a.ownTraceId, a: a.ownTraceId, b: a.ownTraceId, traceID: a.ownTraceId },
  { q: "{ }" },
  { q: `{ } | rate() by (name)`, scope: "resource", name: "service.name", tag: "name" },
];

const bodies: Readonly<Record<string, readonly object[]>> = {
  "/api/analysis/v1/compare": [{ selection: { error: true }, background: { service: sharedService } }],
  "/api/analysis/v1/changes": [
    { a: { error: true }, b: { service: sharedService } },
    { a: {}, b: {} },
  ],
  "/api/analysis/v1/links": [{ address: "/search" }],
  "/api/analysis/v1/notes": [{ traceId: "1f", text: "everybody's" }],
  "/api/analysis/v1/notes/remove": [{ traceId: "1f", id: "none" }],
  "/api/analysis/v1/views": [{ name: "everybody's", address: "/search" }],
  "/api/analysis/v1/views/rename": [{ name: "everybody's", to: "everybody's" }],
  "/api/analysis/v1/views/remove": [{ name: "everybody's" }],
  "/api/deletion/v1/jobs": [{ wholeTenant: true }],
  "/api/deletion/v1/jobs/{id}/cancel": [{}],
  "/api/transform": [{ resourceSpans: [] }],
};

/** The requests of all rounds; requests that are equal in several rounds are made once. */
function requestsOf({ method, path, parameters }: Operation): { path: string; body: string }[] {
  const base = required();
  const all = rounds().flatMap((round) => {
    const query = new URLSearchParams();
    let filled = path;
    for (const { name, in: place, required: isRequired } of parameters) {
      const value = round[name] ?? (isRequired ? base[name] : undefined);
      if (value === undefined) {
        if (isRequired) {
          throw new Error(`${method} ${path} needs a value for "${name}" in this test`);
        }
      } else if (place === "path") {
        filled = filled.replace(`{${name}}`, encodeURIComponent(value));
      } else if (place === "query") {
        query.append(name, value);
      }
    }
    if (method === "POST" && bodies[path] === undefined && !path.includes("archive")) {
      throw new Error(`${method} ${path} needs a body in this test`);
    }
    const given = bodies[path]?.map((body) => JSON.stringify(body)) ?? [""];
    return given.map((body) => ({ path: `${filled}?${query}`, body: method === "POST" ? body : "" }));
  });
  return [...new Map(all.map((request) => [`${request.path} ${request.body}`, request])).values()];
}

const isTail = ({ responses }: Operation) =>
  responses["200"]?.content !== undefined && "text/event-stream" in responses["200"].content;

/** All answers of an operation to a tenant, over all rounds. */
async function heard(operation: Operation, headers: Headers): Promise<string[]> {
  const texts: string[] = [];
  for (const { path, body } of requestsOf(operation)) {
    const { status, text } = await call(operation.method, path, headers, body);
    texts.push(`${path} ${body}\n${status} ${text}`);
  }
  return texts;
}

/** Runs `work` for all operations whose answers end, four at a time, because one process mostly waits for another. */
async function forOperations(work: (operation: Operation) => Promise<void>): Promise<void> {
  const left = operations.filter((operation) => !isTail(operation));
  const workNext = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: 4 }, workNext));
}

/** Searches an answer for a text that its request does not contain. */
const shows = (secret: string) => (text: string) => {
  const [request = ""] = text.split("\n", 1);
  return !request.includes(secret) && text.includes(secret);
};

/** Operations that show no spans: fixed values, facts about the program, or the request itself. */
const withoutSpans = new Set([
  "GET /api/metrics/minstep",
  "GET /api/openapi.json",
  "GET /api/objectives",
  "GET /api/objectives/curve",
  "GET /api/objectives/rules",
  "GET /api/analysis/v1/capabilities",
  "GET /api/analysis/v1/model-prices",
  "GET /api/analysis/v1/notes",
  "GET /api/analysis/v1/views",
  "POST /api/analysis/v1/links",
  "POST /api/analysis/v1/views",
  "POST /api/analysis/v1/notes",
  "POST /api/analysis/v1/notes/remove",
  "POST /api/analysis/v1/views/remove",
  "POST /api/analysis/v1/views/rename",
  "GET /tempo/ready",
  "GET /tempo/api/echo",
  "GET /tempo/api/status/buildinfo",
  "POST /api/archive/{traceId}",
  "POST /api/transform",
  // Deletion is off in this test: its own tests keep the jobs of tenants apart.
  "GET /api/deletion/v1/jobs",
  "POST /api/deletion/v1/jobs",
  "GET /api/deletion/v1/jobs/{id}",
  "POST /api/deletion/v1/jobs/{id}/cancel",
]);
/** The counters start with a tenant's first request, so this operation is tested with live data. */
const counters = "GET /api/metrics/prometheus";
/** Operations that return numbers and requested names, only of the own tenant. */
const numbersOnly = new Set([
  "GET /api/analysis/v1/heatmap",
  "GET /api/analysis/v1/percentiles",
  "GET /api/analysis/v1/percentiles/{traceId}",
]);
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

describe("the query service over HTTP", () => {
  test("describes its operations", () => {
    expect(operations.length).toBeGreaterThan(35);
  });

  test("shows each tenant its own, by every operation that shows spans", async () => {
    const silent: string[] = [];
    await forOperations(async (operation) => {
      const texts = await heard(operation, { "x-tenant": "a" });
      if (!texts.some((text) => [a.marker, a.ownService].some((secret) => shows(secret)(text)))) {
        silent.push(nameOf(operation));
      }
    });
    const known = new Set([...withoutSpans, ...numbersOnly, counters]);
    expect(silent.filter((name) => !known.has(name))).toEqual([]);
  }, 240_000);

  test("shows no tenant anything of another, by any operation", async () => {
    await forOperations(async (operation) => {
      const texts = await heard(operation, { "x-tenant": "b" });
      for (const secret of [a.marker, a.ownService]) {
        expect(texts.filter(shows(secret)), nameOf(operation)).toEqual([]);
      }
    });
  }, 240_000);

  test("counts no span of another in what tells numbers only", async () => {
    const counts = [];
    for (const tenant of ["a", "b"]) {
      const path = `/api/analysis/v1/heatmap?service=${a.ownService}`;
      const { text } = await call("GET", path, { "x-tenant": tenant });
      counts.push(z.object({ spans: z.number() }).parse(JSON.parse(text)).spans);
    }
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[1]).toBe(0);
    for (const [tenant, status] of [
      ["a", 200],
      ["b", 404],
    ] as const) {
      const path = `/api/analysis/v1/percentiles/${a.ownTraceId}`;
      expect((await call("GET", path, { "x-tenant": tenant })).status).toBe(status);
    }
  });

  test("the archive keeps tenants apart too", async () => {
    const archive = (tenant: string, id: string) =>
      call("POST", `/api/archive/${id}`, { "x-tenant": tenant }).then(({ status }) => status);
    expect(await archive("b", a.ownTraceId)).toBe(404);
    expect(await archive("a", a.ownTraceId)).toBe(200);
    expect(await archive("a", sharedTraceId)).toBe(200);
    for (const id of [a.ownTraceId, sharedTraceId]) {
      const { text } = await call("GET", `/api/traces/${id}`, { "x-tenant": "b" });
      expect(text).not.toContain(a.marker);
    }
  });

  test("what arrives is told live to its own tenant only", async () => {
    const tails = operations.filter(isTail);
    expect(tails.map(nameOf)).toEqual(["GET /api/analysis/v1/tail"]);
    const [host, port] = tracing.queryHttp.split(":");
    let text = "";
    const request = httpRequest({
      host,
      port,
      path: "/api/analysis/v1/tail",
      headers: { "x-tenant": "b" },
      agent: false,
    }).end();
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    request.on("error", () => {});
    request.on("response", (response) => {
      resolve();
      response.on("error", () => {});
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
    });
    await opened;
    const counted = (tenant: string) => call("GET", "/api/metrics/prometheus", { "x-tenant": tenant });
    await Promise.all([counted("a"), counted("b")]);
    const [ofA, ofB] = [tenantSpans("a", sharedTraceId), tenantSpans("b", sharedTraceId)];
    await store("a", ofA);
    await store("b", ofB);
    await eventually(async () => expect(text).toContain(ofB.marker), visibleWithinMs);
    request.destroy();
    expect(text).not.toContain(ofA.marker);
    await eventually(async () => expect((await counted("a")).text).toContain(ofA.marker), visibleWithinMs);
    await eventually(async () => expect((await counted("b")).text).toContain(ofB.marker), visibleWithinMs);
    expect((await counted("b")).text).not.toContain(ofA.marker);
  });

  const badHeaders: [string, Headers][] = [
    ["no tenant", {}],
    ["an empty tenant", { "x-tenant": "" }],
    ["white space", { "x-tenant": "  \t " }],
    ["an unknown tenant", { "x-tenant": "c" }],
    ["another case", { "x-tenant": "A" }],
    ["two in one", { "x-tenant": "b,a" }],
    ["a list with nobody first", { "x-tenant": ",a" }],
    ["escapes", { "x-tenant": "%61" }],
    ["another header", { tenant: "a", "x-scope-orgid": "a" }],
  ];
  test.each(badHeaders)("%s: every operation with data is refused", async (_, headers) => {
    for (const operation of operations) {
      const [first] = requestsOf(operation);
      const { status, text } = await call(operation.method, first?.path ?? "", headers, first?.body);
      expect(text, nameOf(operation)).not.toContain(a.marker);
      expect(text, nameOf(operation)).not.toContain(a.ownService);
      if (status !== 401) {
        expect([...withoutSpans]).toContain(nameOf(operation));
      }
    }
  });

  test.each([
    ["b", "a"],
    ["a", "a"],
    ["", "a"],
  ])("several headers are refused: %j", async (...tenants) => {
    const { status, text } = await call("GET", "/api/services", { "x-tenant": tenants });
    expect([status, text]).toEqual([401, "extra tenant header"]);
  });
});

/** Arguments of a call; each method uses the arguments that it knows. */
type Form = Readonly<Record<string, unknown>>;
const bytesOf = (hex: string) => Buffer.from(hex, "hex");
const epoch = { seconds: 0n, nanos: 0 };
const later = { seconds: 4_000_000_000n, nanos: 0 };
const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });

const dates = { startTime: undefined, endTime: undefined };
const parameters = (service: string) => ({
  ...{ serviceName: service, operationName: "", tags: {}, attributes: {} },
  ...{ startTimeMin: epoch, startTimeMax: later, durationMin: undefined, durationMax: undefined },
  ...{ searchDepth: 20, numTraces: 20 },
});
const older = (service: string, traceId: string): Form => ({
  ...{ traceId: bytesOf(traceId), ...dates, service, spanKind: "", query: parameters(service) },
});
const newer = (service: string, traceId: string): Form => ({ ...older(service, traceId), traceId });
const dependencies = (): Form => ({ startTime: epoch, endTime: seconds(Math.ceil(Date.now() / 1000) + 60) });
const metrics = (service: string): Form => ({
  quantile: 0.95,
  baseRequest: {
    ...{ serviceNames: [service], groupByOperation: true, endTime: undefined, spanKinds: [] },
    ...{ lookback: seconds(3600), step: seconds(60), ratePer: seconds(60) },
  },
});
const tempo = (): Form[] =>
  [sharedAttribute, `span.${sharedAttribute}`].map((tagName) => ({
    ...{ tags: {}, minDurationMs: 0, maxDurationMs: 0, limit: 20, spansPerSpanSet: 3, query: "", tagName },
    ...{ start: 0, end: 0, scope: "", maxTagsPerScope: 0, maxTagValues: 0 },
  }));
const tempoMetrics = (): Form => {
  const end = BigInt(Date.now()) * 1_000_000n;
  const start = end - 600_000_000_000n;
  const query = `{ } | rate() by (span.${sharedAttribute})`;
  return { query, start, end, step: 60_000_000_000n, exemplars: 0 };
};

type Method = MethodDefinition<never, unknown>;

const services = [queryServiceV3, queryService, metricsQueryService, streamingQuerier];
const storageServices = [spanReaderService, archiveSpanReaderService, dependenciesReaderService];
const methodsOf = (all: readonly object[]): Method[] =>
  all.flatMap((service) => Object.values(service) as Method[]);

/** Methods that return no names, or only the success of an action. */
const silentMethods = /\/(?:GetMinStepDuration|ArchiveTrace)$/;

function formsOf(path: string): Form[] {
  if (path.includes("metrics.")) {
    return [metrics(sharedService), metrics(a.ownService)];
  }
  if (path.includes("tempopb")) {
    return path.includes("Metrics") ? [tempoMetrics()] : tempo();
  }
  if (path.endsWith("GetDependencies")) {
    return [dependencies()];
  }
  const form = path.includes("api_v3") ? newer : older;
  return [
    form(sharedService, sharedTraceId),
    form("", sharedTraceId),
    form(a.ownService, sharedTraceId),
    form(sharedService, a.ownTraceId),
  ];
}

/** All bytes of a call's answer, and its status. */
function callRaw(
  client: Client,
  { path, requestSerialize }: Method,
  form: Form,
  metadata: Metadata,
): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const stream = client.makeServerStreamRequest(
      path,
      (request: Form) => requestSerialize(request as never),
      (bytes) => bytes,
      form,
      metadata,
      { deadline: Date.now() + 15_000 },
    );
    stream.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
    });
    stream.on("error", ({ code, details }: ServiceError) => resolve(`${text} ${status[code]} ${details}`));
    stream.on("end", () => resolve(text));
  });
}

/** All texts and bytes of a request. */
function saidIn(value: unknown): string {
  if (Buffer.isBuffer(value)) {
    return value.toString("latin1");
  }
  if (value !== null && typeof value === "object") {
    return Object.values(value).map(saidIn).join(" ");
  }
  return String(value);
}

function metadataOf(...tenants: readonly string[]): Metadata {
  const metadata = new Metadata();
  for (const tenant of tenants) {
    metadata.add("x-tenant", tenant);
  }
  return metadata;
}

describe.each([
  ["the query service over gRPC", services, () => tracing.queryGrpc],
  ["the remote storage API", storageServices, () => tracing.storageGrpc],
] as const)("%s", (_, all, address) => {
  let client: Client;
  beforeAll(() => {
    client = new Client(address(), credentials.createInsecure());
  });
  afterAll(() => client?.close());

  test.each(methodsOf(all).map((method) => [method.path, method] as const))(
    "%s",
    async (path, method) => {
      let isShown = false;
      for (const form of formsOf(path)) {
        const request = saidIn(form);
        const secrets = [a.marker, a.ownService, bytesOf(a.ownTraceId).toString("latin1")];
        const unsaid = secrets.filter((secret) => !request.includes(secret));
        const all = [["a"], ["b"], [], [""], ["c"], ["b", "a"], ["b,a"]];
        const [own = "", ofOther = "", ...refused] = await Promise.all(
          all.map((tenants) => callRaw(client, method, form, metadataOf(...tenants))),
        );
        isShown ||= unsaid.some((secret) => own.includes(secret));
        expect(unsaid.filter((secret) => ofOther.includes(secret))).toEqual([]);
        for (const answer of refused) {
          expect(answer).toMatch(/^ (?:UNAUTHENTICATED|PERMISSION_DENIED) /);
        }
      }
      expect(isShown).toBe(!silentMethods.test(path));
    },
    60_000,
  );
});

test("a tenant can store nothing as another, nor as nobody", async () => {
  const body = JSON.stringify(tenantSpans("x", sharedTraceId).otlpJson);
  for (const tenants of [[], [""], ["c"], ["b,a"]]) {
    const headers = { "Content-Type": "application/json", ...(tenants[0] ? { "x-tenant": tenants[0] } : {}) };
    const answer = await fetch(`http://${tracing.otlpHttp}/v1/traces`, { method: "POST", headers, body });
    expect([tenants, answer.status]).toEqual([tenants, 403]);
  }
});
