import { createServer } from "node:net";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("one")));
});
afterAll(() => running.close());

const server = "/config/apps/http/servers/s";

test("says what would change, and changes nothing", async () => {
  const before = await running.admin("GET", "/config/");
  const answer = await running.admin("POST", "/validate", siteConfig(respond("two"), respond("three")));
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    200,
    {
      valid: true,
      changes: [
        { op: "replace", path: "/apps/http/servers/s/routes/0/handle/0/body", value: "two" },
        { op: "add", path: "/apps/http/servers/s/routes/1", value: respond("three") },
      ],
    },
  ]);
  expect((await running.admin("GET", "/config/")).text).toBe(before.text);
  expect(JSON.parse((await running.admin("GET", "/history")).text)).toHaveLength(1);
  expect((await ask(running.site)).text).toBe("one");
});

test("the patch makes the config of the running one", async () => {
  const wanted = siteConfig({ ...(respond("patched") as object), terminal: true });
  const { text } = await running.admin("POST", "/validate", wanted);
  const patch = (JSON.parse(text) as { changes: unknown }).changes;
  await running.admin("PATCH", "/config/", patch, { "Content-Type": "application/json-patch+json" });
  expect(JSON.parse((await running.admin("GET", "/config/")).text)).toEqual(wanted);
});

describe("tells all that is wrong, and where", () => {
  test.each<[string, unknown, [path: string, message: string][]]>([
    ["a field", { zz: 1 }, [["/config/zz", 'json: unknown field "zz"']]],
    [
      "several, in several modules",
      {
        admin: { bogus: true },
        logging: { logs: { default: { levell: "INFO", writer: { output: "nope" } } } },
        apps: {
          http: {
            servers: {
              s: { lissten: [], routes: [{ handle: [{ handler: "static_response", boddy: 1, body: 2 }] }] },
            },
          },
          nope: {},
        },
      },
      [
        ["/config/admin/bogus", 'json: unknown field "bogus"'],
        ["/config/logging/logs/default/levell", 'json: unknown field "levell"'],
        ["/config/logging/logs/default/writer/output", "unknown module: logging.writers.nope"],
        ["/config/apps/http/servers/s/lissten", 'json: unknown field "lissten"'],
        [`${server}/routes/0/handle/0/body`, "json: cannot unmarshal number into a value of type string"],
        [`${server}/routes/0/handle/0/boddy`, 'json: unknown field "boddy"'],
        ["/config/apps/nope", "unknown module: nope"],
      ],
    ],
    [
      "names of modules",
      siteConfig({ match: [{ nope: 1 }], handle: [{}, { handler: "nope" }] }),
      [
        [`${server}/routes/0/match/0/nope`, "unknown module: http.matchers.nope"],
        [`${server}/routes/0/handle/0`, "module name not specified with key 'handler'"],
        [`${server}/routes/0/handle/1/handler`, "unknown module: http.handlers.nope"],
      ],
    ],
    [
      "what a module finds beyond its schema",
      siteConfig({ handle: [{ handler: "static_response", status_code: "99" }] }),
      [[`${server}/routes/0/handle/0`, expect.stringContaining("99") as unknown as string]],
    ],
    [
      "an @id that stands twice",
      { apps: { http: { "@id": "x", servers: { "@id": "x" } } } },
      [["/config", expect.stringContaining("duplicate ID 'x'") as unknown as string]],
    ],
    [
      "a module of one's own that is not there",
      { modules: ["./nope.ts"] },
      [["/config/modules/0", expect.stringContaining("Cannot find module") as unknown as string]],
    ],
  ])("%s", async (_, config, faults) => {
    const answer = await running.admin("POST", "/validate", config);
    const verdict = JSON.parse(answer.text) as {
      valid: boolean;
      errors: { path: string; message: string }[];
    };
    expect([answer.status, verdict.valid]).toEqual([400, false]);
    const sorted = (list: [string, unknown][]) => list.toSorted(([a], [b]) => a.localeCompare(b));
    expect(sorted(verdict.errors.map(({ path, message }) => [path, message]))).toEqual(sorted(faults));
    const load = await running.admin("POST", "/load", config);
    expect(load.error.replace(/^loading config: /, "")).toBe(answer.error);
  });
});

test("reads every format, and refuses what it cannot read", async () => {
  const yaml = { "Content-Type": "text/yaml" };
  expect(await running.admin("POST", "/validate", "apps: {http: {}}", yaml)).toMatchObject({ status: 200 });
  expect(await running.admin("POST", "/validate", "a: [", yaml)).toMatchObject({
    status: 400,
    error: expect.stringContaining("line 1"),
  });
  expect((await running.admin("POST", "/validate", "")).status).toBe(400);
  expect((await running.admin("GET", "/validate")).status).toBe(405);
});

test("tries no ports", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  const config = { apps: { http: { servers: { s: { listen: [`127.0.0.1:${port}`] } } } } };
  expect((await running.admin("POST", "/validate", config)).status).toBe(200);
  taken.close();
});
