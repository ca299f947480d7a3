// Walks all routes of the HTTP server: each needs a rule, obeys it, and hides marked values.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Router } from "express";
import { createLogger } from "lifecycle";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationDescription, OperationExample } from "../http/openapi/operation.ts";
import { shortLinkRouter } from "../http/short-link.ts";
import { mcpRouter } from "../mcp/mcp-router.ts";
import { apiRouter } from "../server/api-router.ts";
import { operationGroups } from "../server/operation-groups.ts";
import { openKeptStores } from "../service/kept-stores.ts";
import { tempoRouter } from "../tempo/tempo-router.ts";
import {
  guardedStore,
  type RoleName,
  roleNames,
  sampleAccess,
  secret,
  tokenHeaders,
} from "../testing/guarded-store.ts";
import { openSampleServer, type SampleServer } from "../testing/sample-server.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";
import { sampleStartMs } from "../testing/sample-traces.ts";
import type { Need } from "./access.ts";
import { needOfRoute, ruledRoutes } from "./route-needs.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const operations = operationGroups.flatMap((group) => group.operations);
/** Paths that only say that nothing is there. */
const catchAlls = new Set(["/api/analysis/*path"]);
/** Routes that are no part of the described API. */
const others = ["GET /s/:id", "GET /mcp", "POST /mcp"];

let folder: string;
let server: SampleServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-"));
  const { guarded } = await guardedStore();
  server = await openSampleServer(guarded, { ...openKeptStores(folder), access: sampleAccess() });
});
afterAll(async () => {
  await server.stop(AbortSignal.abort());
  await rm(folder, { recursive: true });
});

function pathsOf(router: Router): string[] {
  return router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
}

test("every route has a rule, and every rule a route", async () => {
  const { guarded } = await guardedStore();
  const service = sampleService(guarded);
  const settings = { ...sampleSettings(), service, log, basePath: "", allowedOrigins: [] };
  const routers = [
    apiRouter(service, settings),
    tempoRouter(service, settings),
    shortLinkRouter(settings),
    mcpRouter(settings),
  ];
  const paths = new Set(routers.flatMap(pathsOf).filter((path) => !catchAlls.has(path)));
  const ruled = new Set(ruledRoutes.map((route) => route.split(" ")[1]));
  expect([...paths].filter((path) => !ruled.has(path))).toEqual([]);
  const described = [...operations.map(({ method, path }) => `${method} ${path}`), ...others];
  expect([...ruledRoutes].sort()).toEqual(described.sort());
});

function addressOf(
  { path }: OperationDescription,
  { path: parts = {}, query = {} }: OperationExample,
): string {
  const filled = path.replace(/[:*]([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
  const params = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) {
      params.append(name, value);
    }
  }
  return `${filled}?${params}`;
}

async function answerTo(operation: OperationDescription, headers: Record<string, string>) {
  const { body } = operation.example;
  const response = await fetch(server.base + addressOf(operation, operation.example), {
    method: operation.method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.headers.get("content-type") === "text/event-stream") {
    await response.body?.cancel();
    return { status: response.status, text: "" };
  }
  return { status: response.status, text: await response.text() };
}

/** The roles that a need allows, written out here, so that a change of `suffices` is noticed. */
const allowed: Record<Need, readonly RoleName[]> = {
  open: roleNames,
  viewer: roleNames,
  analyst: ["analyst", "admin", "deleter"],
  admin: ["admin", "deleter"],
  delete: ["deleter"],
};

describe("each route obeys its rule", () => {
  test.each(operations)("$method $path", async (operation) => {
    const need = needOfRoute(operation.method, operation.path);
    if (need === undefined) {
      throw new Error("there is no rule");
    }
    const nobody = await answerTo(operation, {});
    expect(nobody.status === 401).toBe(need !== "open");
    const stranger = await answerTo(operation, { authorization: "Bearer other" });
    expect(stranger.status === 401).toBe(need !== "open");
    for (const role of roleNames) {
      const { status, text } = await answerTo(operation, tokenHeaders(role));
      expect([role, status === 403 && text.includes("this needs")]).toEqual([
        role,
        !allowed[need].includes(role),
      ]);
      expect(status, role).not.toBe(401);
    }
  });
});

test("no answer has a marked value for viewers and analysts; admins find it in many", async () => {
  const leaks: string[] = [];
  const shown: string[] = [];
  for (const operation of operations) {
    for (const role of ["viewer", "analyst", "admin"] as const) {
      const { text } = await answerTo(operation, tokenHeaders(role));
      if (text.includes(secret)) {
        (role === "admin" ? shown : leaks).push(`${role}: ${operation.method} ${operation.path}`);
      }
    }
  }
  expect(leaks).toEqual([]);
  expect(shown.length).toBeGreaterThan(7);
});

const all = `start=${(sampleStartMs - 60_000) * 1_000}&end=${(sampleStartMs + 60_000) * 1_000}`;
const q = (query: string) => encodeURIComponent(query);

/** A condition on a marked attribute, in each form that an API has for it. */
const oracles = [
  `/api/traces?service=shop&tag=user.id:${secret}`,
  `/api/traces?service=shop&tags=${q(JSON.stringify({ "USER.id": secret }))}`,
  `/api/v3/traces?query.service_name=shop&query.start_time_min=2020-01-01T00:00:00Z&query.start_time_max=2050-01-01T00:00:00Z&query.attributes=${q(JSON.stringify({ "user.id": secret }))}`,
  `/api/v3/trace-summaries?query.service_name=shop&query.start_time_min=2020-01-01T00:00:00Z&query.start_time_max=2050-01-01T00:00:00Z&query.attributes=${q(JSON.stringify({ "user.id": secret }))}`,
  `/api/analysis/v1/heatmap?${all}&q=${q(`{ span.user.id = "${secret}" }`)}`,
  `/api/analysis/v1/compare?${all}&q=${q(`{ span."user.id" = "${secret}" }`)}`,
  `/api/analysis/v1/critical-path?${all}&q=${q(`{ .user.id =~ "a.*" }`)}`,
  `/api/analysis/v1/groups?${all}&by=span.user.id`,
  `/api/analysis/v1/compare?${all}&selection.tag=user.id:${secret}`,
  `/api/analysis/v1/attributes?${all}&tag=user.id:${secret}`,
  `/api/analysis/v1/attributes/span/user.id/values?${all}`,
  `/api/analysis/v1/attributes/event/User.Mail/values?${all}`,
  `/api/analysis/v1/tail?q=${q(`{ .user.id = "${secret}" }`)}`,
  `/tempo/api/search?q=${q(`{ .user.id = "${secret}" }`)}`,
  `/tempo/api/search?q=${q(`{ parent.span.user.id = "${secret}" }`)}`,
  `/tempo/api/search?q=${q(`{ event.user.id = "${secret}" } | select(.a)`)}`,
  `/tempo/api/search?q=${q(`{ link.user.id = "${secret}" }`)}`,
  `/tempo/api/search?q=${q(`{ instrumentation.scope_secret = "${secret}" }`)}`,
  `/api/analysis/v1/gen-ai?by=user`,
  `/api/analysis/v1/gen-ai?by=model&user=${secret}`,
  `/tempo/api/search?q=${q(`{ } | select(.user.id)`)}`,
  `/tempo/api/search?q=${q(`{ } | by(.user.id)`)}`,
  `/tempo/api/search?q=${q(`{ .a = .user.id }`)}`,
  `/tempo/api/search?q=${q(`{ !(.b != 1 && .user.id = "x") } >> { }`)}`,
  `/tempo/api/search?q=${q(`{ .user = "x" }`)}`,
  `/tempo/api/search?tags=${q(`user.id=${secret}`)}`,
  `/tempo/api/search/tag/user.id/values`,
  `/tempo/api/v2/search/tag/span.user.id/values`,
  `/tempo/api/v2/search/tag/${q('.user."id"')}/values`,
  `/tempo/api/v2/search/tag/.a/values?q=${q(`{ .user.id = "${secret}" }`)}`,
  `/tempo/api/v2/search/tags?q=${q(`{ .user.id = "${secret}" }`)}`,
  `/tempo/api/metrics/query_range?q=${q("{ } | rate() by(.user.id)")}&since=1h`,
  `/tempo/api/metrics/query_range?q=${q("{ } | max_over_time(.user.id)")}&since=1h`,
  `/tempo/api/metrics/query_range?q=${q(`{ } | compare({ .user.id = "${secret}" })`)}&since=1h`,
  `/tempo/api/metrics/query?q=${q(`({ } | rate()) / ({ .user.id = "${secret}" } | rate())`)}&since=1h`,
];

describe("a condition on a marked attribute is refused, because its answer tells the value", () => {
  test.each(oracles)("%s", async (address) => {
    const get = async (role: RoleName) => {
      const response = await fetch(server.base + address, { headers: tokenHeaders(role) });
      const isStream = response.headers.get("content-type") === "text/event-stream";
      const text = isStream ? "" : await response.text();
      await (isStream ? response.body?.cancel() : undefined);
      return { status: response.status, text };
    };
    const { status, text } = await get("analyst");
    expect([status, text]).toEqual([403, expect.stringContaining("are hidden from the role analyst")]);
    expect(text).not.toContain(secret);
    // Whatever else is wrong with a request would be wrong for an admin too.
    expect((await get("admin")).status).toBe(200);
  });
});

test("names of marked attributes, and whether a span has one, are no secret", async () => {
  const headers = tokenHeaders("viewer");
  const text = async (address: string) => await (await fetch(server.base + address, { headers })).text();
  expect(await text("/tempo/api/v2/search/tags")).toContain('"user.id"');
  const found = await text(`/tempo/api/search?q=${q("{ .user.id != nil }")}`);
  expect(found).toContain("71a81d73ce7902db83be4d12250bd874");
  expect(found).not.toContain(secret);
});

test("compare() lists no marked attribute for viewers", async () => {
  const address = `/tempo/api/metrics/query_range?q=${q(`{ } | compare({ status = error })`)}&since=1h`;
  const text = async (role: RoleName) =>
    await (await fetch(server.base + address, { headers: tokenHeaders(role) })).text();
  expect(await text("admin")).toContain(secret);
  expect(await text("viewer")).not.toContain(secret);
  expect(await text("viewer")).toContain("region");
});

test("the archive keeps values that its caller must not see", async () => {
  const { guarded, whole } = await guardedStore();
  const archiving = await openSampleServer(guarded, { access: sampleAccess() });
  const id = "71a81d73ce7902db83be4d12250bd874";
  const response = await fetch(`${archiving.base}/api/archive/${id}`, {
    method: "POST",
    headers: tokenHeaders("analyst"),
  });
  await archiving.stop(AbortSignal.abort());
  expect(response.status).toBe(200);
  const [trace] = await whole.archive.reader.getTraces([id]);
  const kept = JSON.stringify(trace, (_, value) => (typeof value === "bigint" ? String(value) : value));
  expect(kept).toContain(secret);
  expect(kept).not.toContain("(hidden)");
});
