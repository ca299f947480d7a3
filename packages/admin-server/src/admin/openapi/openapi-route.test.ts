import { rm } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeConsoleFolder } from "../../testing/console-folder.ts";
import { type AdminAnswer, RunningServer, respond, siteConfig } from "../../testing/running-server.ts";
import type { DocumentedOperation } from "./operations.ts";

interface OpenapiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

let consoleFolder: string;
let running: RunningServer;
let document: OpenapiDocument;
const ajv = new Ajv2020({ strict: false });
beforeAll(async () => {
  consoleFolder = await makeConsoleFolder();
  running = await RunningServer.start(null, { SERVER_UI_FOLDER: consoleFolder });
  document = JSON.parse((await running.admin("GET", "/openapi.json")).text) as OpenapiDocument;
  ajv.addSchema(document, "openapi");
});
afterAll(async () => {
  await running.close();
  await rm(consoleFolder, { recursive: true, force: true });
});
beforeEach(async () => {
  await running.admin("POST", "/load", siteConfig({ "@id": "r", ...(respond("x") as object) }));
});

const server = "/config/apps/http/servers/s";
const patchType = { "Content-Type": "application/json-patch+json" };
type Asked = readonly [
  operation: string,
  path: string,
  status: number,
  body?: unknown,
  headers?: Record<string, string>,
];

/** Requests for every operation, both accepted and refused ones. `operation` is method and path of the document. */
const asked: readonly Asked[] = [
  ["get /config/", "/config/", 200],
  ["post /config/", "/config/", 200, null],
  ["post /config/", "/config/", 400, "{"],
  ["put /config/", "/config/", 409, {}],
  ["patch /config/", "/config/", 200, { apps: {} }],
  ["patch /config/", "/config/", 409, [{ op: "remove", path: "/zz" }], patchType],
  ["delete /config/", "/config/", 200],
  ["get /config/{path}", `${server}/routes`, 200],
  ["get /config/{path}", `${server}/routes/9`, 400],
  ["post /config/{path}", `${server}/routes`, 200, respond("y")],
  ["post /config/{path}", `${server}/routes`, 400, { zz: 1 }],
  ["put /config/{path}", `${server}/routes/0`, 200, respond("y")],
  ["put /config/{path}", `${server}/listen`, 409, []],
  ["patch /config/{path}", `${server}/routes/0/handle/0/body`, 200, '"z"'],
  ["patch /config/{path}", `${server}/zz`, 404, 1],
  ["patch /config/{path}", `${server}/listen`, 412, [], { "If-Match": '"/config/ 0"' }],
  ["delete /config/{path}", `${server}/routes/0`, 200],
  ["delete /config/{path}", `${server}/zz`, 404],
  ["get /id/{id}", "/id/r", 200],
  ["get /id/{id}", "/id/zz", 404],
  ["post /id/{id}", "/id/r/handle", 200, { handler: "vars" }],
  ["put /id/{id}", "/id/r/handle", 409, []],
  ["patch /id/{id}", "/id/r/handle/0/body", 200, '"z"'],
  ["delete /id/{id}", "/id/r", 200],
  ["post /load", "/load", 200, { apps: {} }],
  ["post /load", "/load", 200, "%FOO bar\n---\napps: {}\n", { "Content-Type": "text/yaml" }],
  ["post /load", "/load", 400, { zz: 1 }],
  ["post /adapt", "/adapt", 200, "{a: 1}", { "Content-Type": "application/json5" }],
  ["post /adapt", "/adapt", 400, "{", { "Content-Type": "application/json5" }],
  ["post /validate", "/validate", 200, { apps: {} }],
  ["post /validate", "/validate", 400, { zz: 1 }],
  ["post /validate", "/validate", 400, ""],
  ["post /stop", "/stop", 200],
  ["get /config/schema", "/config/schema", 200],
  ["get /config/schema/{module}", "/config/schema/http.handlers.vars", 200],
  ["get /config/schema/{module}", "/config/schema/zz", 404],
  ["get /history", "/history", 200],
  ["get /history", "/history?limit=1&offset=0&contains=127", 200],
  ["get /history", "/history?limit=0", 400],
  ["get /history/{n}", "/history/1", 200],
  ["get /history/{n}", "/history/9999", 404],
  ["get /history/{n}/diff", "/history/1/diff", 200],
  ["post /history/{n}/rollback", "/history/1/rollback", 200],
  ["post /history/{n}/rollback", "/history/1/rollback", 412, undefined, { "If-Match": '"/config/ 0"' }],
  ["get /reverse_proxy/upstreams", "/reverse_proxy/upstreams", 200],
  ["get /reverse_proxy/upstreams", "/reverse_proxy/upstreams?detail=true&order=trouble&limit=5", 200],
  ["get /reverse_proxy/upstreams", "/reverse_proxy/upstreams?detail=true&order=size", 400],
  ["get /pull", "/pull", 200],
  ["get /http/routes", "/http/routes", 200],
  ["get /http/routes", "/http/routes?order=p95&limit=5&contains=a", 200],
  ["get /http/routes", "/http/routes?order=size", 400],
  ["get /http/rehearsal", "/http/rehearsal?url=http://a.example/b&header=A:b", 200],
  ["get /http/rehearsal", "/http/rehearsal", 400],
  ["get /listeners", "/listeners", 200],
  ["get /tls/certificates", "/tls/certificates", 200],
  ["get /tls/certificates", "/tls/certificates?limit=5", 200],
  ["get /ui/", "/ui/", 200],
  ["get /cache", "/cache", 200],
  ["post /cache", "/cache", 200, { all: true }],
  ["post /cache", "/cache", 400, {}],
  ["get /metrics", "/metrics", 200],
  ["get /metrics", "/metrics", 403, undefined, { Host: "evil.example" }],
  ["get /openapi.json", "/openapi.json", 200],
  ["get /debug/vars", "/debug/vars", 200],
  ["get /debug/pprof/", "/debug/pprof/", 200],
  ["get /debug/pprof/profile", "/debug/pprof/profile?seconds=0.01", 200],
  ["get /debug/pprof/profile", "/debug/pprof/profile?seconds=x", 400],
  ["get /debug/pprof/allocs", "/debug/pprof/allocs?seconds=0.01", 200],
  ["get /debug/pprof/heap", "/debug/pprof/heap", 200],
  ["get /debug/pprof/cmdline", "/debug/pprof/cmdline", 200],
];

/** Compares an answer with its description in the document. */
function expectDocumented(path: string, method: string, answer: AdminAnswer): void {
  const response = document.paths[path]?.[method]?.responses[String(answer.status)];
  expect(response, `status ${answer.status} of ${method} ${path}`).toBeDefined();
  if (answer.text === "") {
    return;
  }
  const [type = ""] = String(answer.headers["content-type"]).split(";");
  expect(Object.keys(response?.content ?? {})).toContain(type);
  if (type.endsWith("json")) {
    const pointer = `openapi#/paths/${encodeURIComponent(path.replaceAll("/", "~1"))}/${method}/responses/${answer.status}/content/${encodeURIComponent(type.replaceAll("/", "~1"))}/schema`;
    const validate = ajv.compile({ $ref: pointer });
    expect(validate(JSON.parse(answer.text)) || validate.errors).toBe(true);
  }
}

describe("real answers are as documented", () => {
  const rows = asked.map((each): [string, Asked] => [`${each[0]}: ${each[1]} answers ${each[2]}`, each]);
  test.each(rows)(
    "%s",
    async (_, [operation, path, status, body, headers]) => {
      const [method = "", template = ""] = operation.split(" ");
      const answer = await running.admin(method.toUpperCase(), path, body, headers);
      expect([answer.status, answer.error]).toEqual([status, status < 400 ? "" : expect.stringMatching(/./)]);
      expectDocumented(template, method, answer);
    },
    60_000,
  ); // One of the answers is a snapshot of the test's whole heap.
});

test("every operation is asked, and every id is its own", () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ name: `${method} ${path}`, operationId })),
  );
  expect(new Set(asked.map(([operation]) => operation))).toEqual(new Set(operations.map(({ name }) => name)));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  expect(document.openapi).toBe("3.1.1");
});
