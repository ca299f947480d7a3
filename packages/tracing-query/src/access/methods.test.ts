// Walks all gRPC methods and all tools for assistants: each needs a rule, obeys it, and hides marked values.

import {
  type Client,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
  status,
} from "@grpc/grpc-js";
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createLogger, parseHostPort } from "lifecycle";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryServiceV3 } from "wire/api-v3";
import { metricsQueryService, queryService, rpcServiceName, withPublicNames } from "wire/grpc";
import { streamingQuerier } from "wire/tempo";
import { type GrpcServer, openGrpcServer } from "../grpc/grpc-server.ts";
import { mcpRouter } from "../mcp/mcp-router.ts";
import { tools } from "../mcp/tools/tool-list.ts";
import { sampleTraceId, shortTraceId } from "../service/sample-store.ts";
import { guardedStore, type RoleName, sampleAccess, secret, tokenHeaders } from "../testing/guarded-store.ts";
import { openSampleServer, type SampleServer } from "../testing/sample-server.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";
import { rootSpanId, sampleStartMs } from "../testing/sample-traces.ts";
import { needOfMethod } from "./method-needs.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

let grpc: GrpcServer;
let http: SampleServer;

beforeAll(async () => {
  const { guarded } = await guardedStore();
  const service = sampleService(guarded);
  const settings = { ...sampleSettings(), access: sampleAccess(), service, log };
  grpc = await openGrpcServer({ ...settings, address: parseHostPort("127.0.0.1:0"), tls: undefined });
  const router = mcpRouter({ ...settings, basePath: "", allowedOrigins: [] });
  http = await openSampleServer(guarded, { access: settings.access, routers: [router] });
});
afterAll(async () => {
  await Promise.all([grpc.stop(AbortSignal.abort()), http.stop(AbortSignal.abort())]);
});

const definitions = [queryService, metricsQueryService, queryServiceV3, streamingQuerier].flatMap(
  (definition: ServiceDefinition) => withPublicNames(definition),
);

const methods = definitions.flatMap((definition) =>
  Object.keys(definition).map((name) => ({ definition, name, path: definition[name]!.path })),
);

const [startSeconds, endSeconds] = [sampleStartMs / 1_000 - 60, sampleStartMs / 1_000 + 60];
const time = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 });
const none = { seconds: 0n, nanos: 0 };

/** The common query of api_v2 and api_v3. */
const search = {
  ...{ serviceName: "shop", operationName: "", searchDepth: 10, numTraces: 10, rawTraces: false },
  ...{
    startTimeMin: time(startSeconds),
    startTimeMax: time(endSeconds),
    durationMin: none,
    durationMax: none,
  },
};
const id = Buffer.from(sampleTraceId, "hex");
const range = { start: startSeconds, end: endSeconds };

/** A request for each method by its name; the services share most of them. */
const requests: Record<string, (service: string) => object> = {
  getTrace: (service) => ({ traceId: service.includes("v3") ? sampleTraceId : id, rawTraces: false }),
  archiveTrace: () => ({ traceId: id }),
  findTraces: () => ({ query: { ...search, tags: {}, attributes: {} } }),
  findTraceSummaries: () => ({ query: { ...search, tags: {}, attributes: {} } }),
  getServices: () => ({}),
  getOperations: () => ({ service: "shop", spanKind: "" }),
  getDependencies: () => ({ startTime: time(startSeconds), endTime: time(endSeconds) }),
  getMinStepDuration: () => ({}),
  ...Object.fromEntries(
    ["getLatencies", "getCallRates", "getErrorRates"].map((name) => [
      name,
      () => ({
        quantile: 0.5,
        baseRequest: {
          ...{ serviceNames: ["shop"], groupByOperation: false, spanKinds: [] },
          ...{ endTime: time(endSeconds), lookback: time(600), step: time(60), ratePer: time(60) },
        },
      }),
    ]),
  ),
  search: () => ({
    ...range,
    query: "{ }",
    tags: {},
    minDurationMs: 0,
    maxDurationMs: 0,
    limit: 10,
    spansPerSpanSet: 3,
  }),
  searchTags: () => ({ ...range, scope: "", query: "", maxTagsPerScope: 0 }),
  searchTagsV2: () => ({ ...range, scope: "", query: "", maxTagsPerScope: 0 }),
  searchTagValues: () => ({ ...range, tagName: "region", query: "", maxTagValues: 0 }),
  searchTagValuesV2: () => ({ ...range, tagName: "span.region", query: "", maxTagValues: 0 }),
  metricsQueryRange: () => ({
    ...{ start: BigInt(startSeconds) * 1_000_000_000n, end: BigInt(endSeconds) * 1_000_000_000n },
    ...{ query: "{ } | compare({ status = error })", step: 60_000_000_000n, exemplars: 5 },
  }),
  metricsQueryInstant: () => ({
    ...{ start: BigInt(startSeconds) * 1_000_000_000n, end: BigInt(endSeconds) * 1_000_000_000n },
    query: "{ } | rate() by(span.region)",
  }),
};

interface Outcome {
  readonly code: status;
  readonly text: string;
}

type Call = (
  request: object,
  metadata: Metadata,
  answered?: (error: unknown, answer: unknown) => void,
) => unknown;

async function callMethod(
  definition: ServiceDefinition,
  name: string,
  request: object,
  headers: Record<string, string>,
): Promise<Outcome> {
  const Generic = makeGenericClientConstructor(definition, rpcServiceName(definition));
  const client: Client = new Generic(`127.0.0.1:${grpc.port}`, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) {
    metadata.set(key, value);
  }
  const call = ((client as unknown as Record<string, Call>)[name] as Call).bind(client);
  const texts: string[] = [];
  const keep = (message: unknown) => {
    texts.push(
      Buffer.isBuffer(message)
        ? message.toString("latin1")
        : JSON.stringify(message, (_, value) =>
            typeof value === "bigint"
              ? String(value)
              : value instanceof Uint8Array
                ? Buffer.from(value).toString("latin1")
                : value,
          ),
    );
  };
  try {
    if (definition[name]!.responseStream) {
      for await (const message of call(request, metadata) as AsyncIterable<unknown>) {
        keep(message);
      }
    } else {
      await new Promise<void>((resolve, reject) => {
        call(request, metadata, (error, answer) => {
          keep(answer);
          error === null ? resolve() : reject(error);
        });
      });
    }
    return { code: status.OK, text: texts.join("") };
  } catch (error) {
    return { code: (error as { code: status }).code, text: (error as Error).message };
  } finally {
    client.close();
  }
}

describe("each gRPC method has a rule, and obeys it", () => {
  test.each(methods)("$path", async ({ definition, name, path }) => {
    const need = needOfMethod(path);
    expect(need, "a rule in method-needs.ts").toBeDefined();
    const request = requests[name];
    if (request === undefined) {
      throw new Error(`this test has no request for ${name}`);
    }
    const ask = (headers: Record<string, string>) => callMethod(definition, name, request(path), headers);
    expect((await ask({})).code).toBe(status.UNAUTHENTICATED);
    expect((await ask({ authorization: "Bearer other" })).code).toBe(status.UNAUTHENTICATED);
    for (const role of ["viewer", "analyst", "admin"] as const) {
      const { code, text } = await ask(tokenHeaders(role));
      const isRefused = need === "analyst" && role === "viewer";
      expect([role, code, isRefused ? "" : text]).toEqual([
        role,
        isRefused ? status.PERMISSION_DENIED : status.OK,
        isRefused ? "" : text,
      ]);
      if (role !== "admin") {
        expect(text).not.toContain(secret);
      }
    }
  });
});

test("admins get marked values over gRPC, and the proxy's groups count there too", async () => {
  const ask = (headers: Record<string, string>) =>
    callMethod(queryServiceV3, "getTrace", { traceId: sampleTraceId, rawTraces: false }, headers);
  expect((await ask(tokenHeaders("admin"))).text).toContain(secret);
  expect((await ask({ "x-forwarded-user": "ann", "x-forwarded-groups": "a, ops" })).text).toContain(secret);
  const dev = await ask({ "x-forwarded-user": "ann", "x-forwarded-groups": "dev" });
  expect([dev.code, dev.text.includes(secret)]).toEqual([status.OK, false]);
  expect((await ask({ "x-forwarded-user": "ann", "x-forwarded-groups": "x" })).code).toBe(
    status.PERMISSION_DENIED,
  );
});

test.each([
  [queryService, "findTraces", { query: { ...search, tags: { "user.id": secret } } }],
  [queryServiceV3, "findTraces", { query: { ...search, attributes: { "user.id": secret } } }],
  [queryServiceV3, "findTraceSummaries", { query: { ...search, attributes: { "user.id": secret } } }],
  [streamingQuerier, "search", { ...requests.search?.(""), query: "", tags: { "user.id": secret } }],
  [streamingQuerier, "search", { ...requests.search?.(""), query: `{ .user.id = "${secret}" }` }],
  [streamingQuerier, "searchTagValues", { ...requests.searchTagValues?.(""), tagName: "user.id" }],
  [streamingQuerier, "searchTagValuesV2", { ...requests.searchTagValues?.(""), tagName: ".user.id" }],
  [
    streamingQuerier,
    "metricsQueryRange",
    { ...requests.metricsQueryRange?.(""), query: "{ } | rate() by(.user.id)" },
  ],
] as const)(
  "%#: a condition on a marked attribute is refused over gRPC",
  async (definition, name, request) => {
    const asked = [definition as ServiceDefinition, name, request] as const;
    const { code, text } = await callMethod(...asked, tokenHeaders("analyst"));
    expect([code, text]).toEqual([
      status.PERMISSION_DENIED,
      expect.stringContaining("are hidden from the role analyst"),
    ]);
    expect((await callMethod(...asked, tokenHeaders("admin"))).code).toBe(status.OK);
  },
);

/** Arguments for each tool. A new tool needs an entry here. */
const toolArguments: Record<string, Record<string, unknown>> = {
  get_services: {},
  get_span_names: { service_name: "shop" },
  get_service_metrics: {},
  get_service_dependencies: {},
  get_exceptions: {},
  get_attribute_names: {},
  get_attribute_values: { scope: "span", name: "region" },
  search_traces: { service_name: "shop" },
  get_trace_topology: { trace_id: sampleTraceId },
  get_critical_path: { trace_id: sampleTraceId },
  get_trace_errors: { trace_id: sampleTraceId },
  get_span_details: { trace_id: sampleTraceId, span_ids: [rootSpanId] },
  find_differences: { service_name: "shop", selected: { duration_min: "50ms" } },
  get_gen_ai_usage: {},
  get_gen_ai_calls: { trace_id: sampleTraceId, with_messages: true },
  get_links: { trace_id: sampleTraceId },
  compare_traces: { trace_id: sampleTraceId, other_trace_id: shortTraceId },
};

async function toolText(name: string, args: Record<string, unknown>, role: RoleName): Promise<string> {
  const client = new McpClient({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${http.base}/mcp`), {
      requestInit: { headers: tokenHeaders(role) },
    }),
  );
  try {
    return JSON.stringify(await client.callTool({ name, arguments: args }));
  } finally {
    await client.close();
  }
}

describe("each tool for assistants hides marked values", () => {
  test.each(tools)("$name", async ({ name }) => {
    const args = toolArguments[name];
    if (args === undefined) {
      throw new Error(`this test has no arguments for ${name}`);
    }
    for (const role of ["viewer", "analyst", "admin"] as const) {
      const text = await toolText(name, args, role);
      expect([role, text.includes('"isError":true'), text]).toEqual([role, false, text]);
      expect([role, role !== "admin" && text.includes(secret)]).toEqual([role, false]);
    }
  });

  test("and admins get them", async () => {
    expect(await toolText("get_span_details", toolArguments.get_span_details ?? {}, "admin")).toContain(
      secret,
    );
  });

  test("and refuses conditions on them", async () => {
    const args = { query: `{ .user.id = "${secret}" }` };
    expect(await toolText("search_traces", args, "analyst")).toContain("are hidden from the role analyst");
    const named = { scope: "span", name: "user.id" };
    expect(await toolText("get_attribute_values", named, "analyst")).toContain("are hidden from the role");
  });

  test("and needs a login", async () => {
    expect((await fetch(`${http.base}/mcp`, { method: "POST", body: "{}" })).status).toBe(401);
  });
});
