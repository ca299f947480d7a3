import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Router } from "express";
import { createLogger } from "lifecycle";
import { unsupported } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { DeletionJobs } from "../../deletion/deletion-jobs.ts";
import { apiRouter } from "../../server/api-router.ts";
import { operationGroups } from "../../server/operation-groups.ts";
import { openKeptStores } from "../../service/kept-stores.ts";
import { sampleStore } from "../../service/sample-store.ts";
import { tempoRouter } from "../../tempo/tempo-router.ts";
import { sampleDeletion } from "../../testing/sample-deletion.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";
import { sampleService, sampleSettings, sampleTenants } from "../../testing/sample-service.ts";
import { sampleTraces } from "../../testing/sample-traces.ts";
import { SearchCounts } from "../../usage/search-counts.ts";
import { templateOf } from "./openapi-document.ts";
import type { OperationDescription, OperationExample } from "./operation.ts";

const operations = operationGroups.flatMap((group) => group.operations);

interface Content {
  readonly schema: { readonly contentSchema?: object };
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}

interface OpenApi {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let server: SampleServer;
let folder: string;
let document: OpenApi;
let deletion: DeletionJobs;
const searchCounts = new SearchCounts();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "views-"));
  const store = await sampleStore(sampleTraces);
  deletion = await sampleDeletion(store.reader, join(folder, "audit.log"));
  server = await openSampleServer(store, { ...openKeptStores(folder), deletion, searchCounts });
  document = (await (await fetch(`${server.base}/api/openapi.json`)).json()) as OpenApi;
});
afterAll(async () => {
  await server.stop(AbortSignal.abort());
  await rm(folder, { recursive: true });
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

/** The first piece of the body will do for one that has no end. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream") {
    return await response.text();
  }
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
}

/** Checks an answer against the description that the server itself serves. @returns the fault; "" for none */
async function wrongWith(
  operation: OperationDescription,
  request: OperationExample,
  status: number,
  description = document,
) {
  const response = await answerTo(server, operation, request);
  if (response.status !== status) {
    return `status ${response.status}: ${await textOf(response)}`;
  }
  return await undescribed(operation, response, description);
}

function answerTo({ base }: SampleServer, operation: OperationDescription, request: OperationExample) {
  const headers = { "content-type": "application/json" };
  const body = request.body === undefined ? {} : { body: JSON.stringify(request.body), headers };
  return fetch(base + addressOf(operation, request), { method: operation.method, ...body });
}

/** The fault of an answer with any status. */
async function undescribed(
  operation: OperationDescription,
  response: Response,
  { paths, components } = document,
): Promise<string> {
  const { status } = response;
  const text = await textOf(response);
  const described = paths[templateOf(operation.path)]?.[operation.method.toLowerCase()]?.responses[status];
  if (described === undefined) {
    return `status ${status} is not described: ${text}`;
  }
  const type = response.headers.get("content-type") ?? "";
  const content = described?.content[type];
  if (content === undefined) {
    return `type ${type} is not described`;
  }
  const isJson = /^application\/([a-z]+\+)?json$/.test(type);
  const schema = isJson ? content.schema : content.schema.contentSchema;
  if (schema === undefined) {
    return text === "" ? "no text" : "";
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: "/document", components });
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"/document#/components/'));
  const validate = ajv.compile(absolute);
  return validate(JSON.parse(text)) ? "" : `${ajv.errorsText(validate.errors)}: ${text}`;
}

test("is OpenAPI 3.1", async () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...structuredClone(document) });
  expect([valid, errors]).toEqual([true, undefined]);
  expect(JSON.stringify(document)).not.toContain("#/$defs/");
});

test("names the base path", async () => {
  const based = await openSampleServer(await sampleStore([]), { basePath: "/tracing" });
  const answer = (await (await fetch(`${based.base}/tracing/api/openapi.json`)).json()) as OpenApi;
  await based.stop(AbortSignal.abort());
  expect(answer.servers).toEqual([{ url: "/tracing" }]);
  expect(document.servers).toEqual([{ url: "/" }]);
});

test("every operation has an id of its own, and its path's parts", () => {
  const ids = operations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, pathParts } of operations) {
    const parts = [...path.matchAll(/[:*]([A-Za-z]+)/g)].map(([, name]) => name);
    expect([path, Object.keys(pathParts?.shape ?? {})]).toEqual([path, parts]);
  }
});

describe("answers are as described", () => {
  test.each(operations)("$method $path", async (operation) => {
    expect(await wrongWith(operation, operation.example, 200)).toBe("");
  });

  const failing = operations.flatMap((operation) =>
    operation.failingExample === undefined ? [] : [{ operation, ...operation.failingExample }],
  );

  test.each(failing)("$operation.method $operation.path: $status", async ({ operation, request, status }) => {
    expect(operation.failureStatuses).toContain(status);
    expect(await wrongWith(operation, request, status)).toBe("");
  });
});

describe("failures are as described, whatever the endpoint", () => {
  const away = openClickHouseStore({ urls: ["http://127.0.0.1:1"] });
  afterAll(() => away.close());
  const noTraces = { maxTraces: 0, maxSpans: 0, maxRangeNano: 1n };

  test.each([
    {
      what: "the store is away",
      store: () => away,
      settings: {},
      statuses: [200, 404, 501, 503],
      common: 503,
    },
    {
      what: "the store can do nothing but read traces",
      store: async () => ({
        ...unsupported("nothing else"),
        reader: (await sampleStore(sampleTraces)).reader,
      }),
      settings: {},
      statuses: [200, 404, 500, 501],
      common: 501,
    },
    {
      what: "no tenant is named",
      store: () => sampleStore(sampleTraces),
      settings: { tenants: sampleTenants("acme") },
      statuses: [200, 401],
      common: 401,
    },
    {
      what: "nothing is within the limits",
      store: () => sampleStore(sampleTraces),
      settings: { limits: noTraces, maxBodyBytes: 0 },
      statuses: [200, 400, 404, 413, 422],
      common: 413,
    },
  ])("$what", async ({ store, settings, statuses, common }) => {
    const failing = await openSampleServer(await store(), {
      ...openKeptStores(folder),
      deletion,
      searchCounts,
      ...settings,
    });
    onTestFinished(() => failing.stop(AbortSignal.abort()));
    const seen: number[] = [];
    const wrong: string[] = [];
    for (const operation of operations) {
      const response = await answerTo(failing, operation, operation.example);
      seen.push(response.status);
      const expected = statuses.includes(response.status) ? "" : `unexpected status ${response.status}`;
      const problem = (await undescribed(operation, response)) || expected;
      if (problem !== "") {
        wrong.push(`${operation.method} ${operation.path}: ${problem}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(seen.filter((status) => status === common).length).toBeGreaterThan(3);
  });
});

test("an answer that is not as described is noticed", async () => {
  const [services] = operations;
  if (services === undefined) {
    throw new Error("no operations");
  }
  const { "/api/services": names = {} } = document.paths;
  const wrong = { ...document, paths: { ...document.paths, "/api/dependencies": names } };
  const moved = { ...services, path: "/api/dependencies" };
  expect(await wrongWith(moved, {}, 200)).toBe("");
  expect(await wrongWith(moved, {}, 200, wrong)).toMatch("must be string");
  expect(await wrongWith({ ...services, path: "/api/operations" }, {}, 200)).toMatch(/^status 400/);
  expect(
    await wrongWith({ ...services, path: "/api/metrics/prometheus" }, {}, 200, { ...document, paths: {} }),
  ).toMatch(/^status 200 is not described: # HELP /);
});

/** Paths that only say that nothing is there. */
const catchAlls = new Set(["/api/analysis/*path"]);

function routesOf(router: Router): string[] {
  return router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
}

test("every route is described, and nothing else", async () => {
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const service = sampleService(await sampleStore([]));
  const settings = { ...sampleSettings(), log };
  const routers = [apiRouter(service, settings), tempoRouter(service, settings)];
  const routes = routers.flatMap(routesOf).filter((path) => !catchAlls.has(path));
  expect([...new Set(operations.map(({ path }) => path))].sort()).toEqual(routes.sort());
});

test("every method is described", async () => {
  for (const [path, methods] of Map.groupBy(operations, (operation) => operation.path)) {
    const [first] = methods;
    if (first === undefined) {
      continue;
    }
    const response = await fetch(server.base + addressOf(first, first.example), { method: "PATCH" });
    const allowed = response.headers.get("allow")?.split(", ").sort();
    expect([path, response.status, allowed]).toEqual([path, 405, methods.map(({ method }) => method).sort()]);
  }
});
