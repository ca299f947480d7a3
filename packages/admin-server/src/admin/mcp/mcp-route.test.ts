import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { testedProgram } from "lifecycle/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunningServer } from "../../testing/running-server.ts";

const program = testedProgram(fileURLToPath(new URL("../../../bin/server.ts", import.meta.url)));
const site = (body: string) => ({
  match: [{ host: ["a.example"] }],
  handle: [{ handler: "static_response", body }],
});
const configOf = (mcp: object, ...routes: object[]) => ({
  admin: { listen: "127.0.0.1:0", mcp },
  apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], routes } } } },
});
const login = {
  match: [{ path: ["/in"] }],
  handle: [
    {
      handler: "reverse_proxy",
      upstreams: [{ dial: "127.0.0.1:9" }],
      headers: { request: { set: { Authorization: ["Bearer abc"], "X-A": ["{env.A_SECRET}"] } } },
    },
  ],
};

let running: RunningServer;
let client: Client;

beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());
afterEach(() => client?.close());

async function connect(mcp: object, ...routes: object[]): Promise<void> {
  await running.server.engine.load(Buffer.from(JSON.stringify(configOf(mcp, ...routes))));
  client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${running.adminUrl}/mcp`)));
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know is there
type Answer = any;

/** @returns the answer, or the text of the error */
async function call(name: string, args: object = {}): Promise<Answer> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
  return isError === true ? (content as { text: string }[])[0]?.text : structuredContent;
}

test("nothing answers where the config does not turn it on", async () => {
  await running.server.engine.load(Buffer.from(JSON.stringify(configOf({}))));
  const { status } = await running.admin("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect(status).toBe(404);
});

test("a page of another origin may not ask", async () => {
  await running.server.engine.load(Buffer.from(JSON.stringify(configOf({ enabled: true }))));
  const { status } = await running.admin("POST", "/mcp", {}, { Origin: "https://evil.example" });
  expect(status).toBe(403);
});

describe("an assistant that may look", () => {
  beforeEach(() => connect({ enabled: true }, site("hello"), login));

  test("has tools that read, with their meaning, and prompts", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...["explain_request", "get_config", "get_history_diff", "get_schema", "list_certificates"],
      ...["list_history", "list_listeners", "list_routes", "list_upstreams", "preview_change"],
      "validate_config",
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const { prompts } = await client.listPrompts();
    for (const { name, arguments: wanted = [] } of prompts) {
      const args = Object.fromEntries(wanted.map((each) => [each.name, `x" and ${each.name}`]));
      const { messages } = await client.getPrompt({ name, arguments: args });
      for (const each of wanted) {
        expect(JSON.stringify(messages)).toContain(`x\\\\\\" and ${each.name}`);
      }
    }
  });

  test("reads the config, without its secrets", async () => {
    const { config, etag } = await call("get_config");
    expect(etag).toMatch(/^"\/config\/ /);
    const [, proxy] = config.apps.http.servers.s.routes;
    expect(proxy.handle[0].headers.request.set).toEqual({
      Authorization: ["(hidden)"],
      "X-A": ["{env.A_SECRET}"],
    });
    expect((await call("get_config", { path: "/apps/http/servers/s/routes/0/handle/0/body" })).config).toBe(
      "hello",
    );
    expect(await call("get_config", { path: "/apps/none/x" })).toMatch(/^400: /);
  });

  test("is told what becomes of a request", async () => {
    const told = await call("explain_request", {
      url: `${running.site.replace("127.0.0.1", "a.example")}/x`,
    });
    expect(told).toMatchObject({ server: "s", status: 200, answered_by: { name: "static_response" } });
    expect(await call("explain_request", { url: "nothing" })).toMatch(/url must be/);
  });

  test("sees routes, upstreams, listeners, certificates, the history and schemas", async () => {
    expect(await call("list_routes", { contains: "a.example" })).toMatchObject({ total_count: 1 });
    expect(await call("list_upstreams")).toMatchObject({ upstreams: [{ address: "127.0.0.1:9" }] });
    expect((await call("list_listeners")).listeners).toHaveLength(1);
    expect(await call("list_certificates")).toMatchObject({ certificates: [], pending: [] });
    const { entries } = await call("list_history", { limit: 1 });
    expect((await call("get_history_diff", { n: entries[0].n })).changes).toBeInstanceOf(Array);
    expect((await call("get_schema")).ids).toContain("http.handlers.static_response");
    expect((await call("get_schema", { id: "http.handlers.error" })).schema).toBeDefined();
    expect(await call("get_schema", { id: "http.handlers.none" })).toMatch(/unknown module/);
  });

  test("tries changes, which change nothing", async () => {
    const before = (await running.admin("GET", "/config/")).text;
    const path = "/apps/http/servers/s/routes/0/handle/0/body";
    expect(await call("preview_change", { method: "PATCH", path, value: "bye" })).toEqual({
      valid: true,
      changes: [{ op: "replace", path, value: "bye" }],
    });
    const wrong = await call("preview_change", {
      method: "PATCH",
      path: path.replace("body", "bdy"),
      value: 1,
    });
    expect(wrong).toMatch(/key does not exist: bdy/);
    const invalid = await call("preview_change", {
      method: "PUT",
      path: path.replace("body", "colour"),
      value: 1,
    });
    expect(invalid).toMatchObject({ valid: false, errors: [{ message: expect.stringContaining("colour") }] });
    const servers = "/apps/http/servers/s";
    const appended = { method: "POST", path: `${servers}/listener_wrappers`, value: { wrapper: "tls" } };
    expect(await call("preview_change", appended)).toEqual({
      valid: true,
      changes: [{ op: "add", path: appended.path, value: [appended.value] }],
    });
    const secret = {
      method: "PATCH",
      path: `${servers}/routes/1/handle/0/headers/request/set/Authorization`,
      value: ["Bearer new"],
    };
    const { changes } = await call("preview_change", secret);
    expect(JSON.stringify(changes)).toMatch(/^\[.*\(hidden\).*\]$/);
    expect(await call("validate_config", { config: ":8080\nrespond hi" })).toMatchObject({ valid: true });
    expect(await call("validate_config", { config: ":8080 {\nrespnd hi\n}" })).toMatch(/respnd/);
    expect(await call("validate_config", { config: "{", format: "json" })).toMatch(/JSON/);
    expect((await running.admin("GET", "/config/")).text).toBe(before);
  });

  test("is given a large config part by part", async () => {
    const many = Array.from({ length: 500 }, (_, n) => ({
      match: [{ host: [`h${n}.example`] }],
      handle: [{ handler: "static_response", body: "x".repeat(200) }],
    }));
    await running.admin("PATCH", "/config/apps/http/servers/s/routes", many);
    const { config, parts_left_out } = await call("get_config", { budget: 1_000 });
    expect(JSON.stringify(config).length).toBeLessThan(4_000);
    expect(parts_left_out.map(({ path }: { path: string }) => path)).toContain("/apps/http/servers/s/routes");
    expect(config.apps.http.servers.s.routes.at(-1)).toEqual({
      "(left out)": expect.stringMatching(/^4\d\d more$/),
    });
    const some = await call("get_config", { path: "/apps/http/servers/s/routes/499" });
    expect(some.config.match[0].host).toEqual(["h499.example"]);
  });
});

describe("an assistant that may change", () => {
  beforeEach(() => connect({ enabled: true, allow_changes: true }, site("hello"), login));

  test("changes what it has read, once, and takes it back", async () => {
    const path = "/apps/http/servers/s/routes/0/handle/0/body";
    const { etag } = await call("get_config", { path });
    const change = { method: "PATCH", path, value: "bye", etag };
    expect(await call("change_config", change)).toMatchObject({ applied: true });
    expect(await call("change_config", { ...change, value: "again" })).toMatch(/^412: /);
    const { entries } = await call("list_history", { limit: 2 });
    expect(entries[0]).toMatchObject({ cause: `PATCH /config${path}` });
    const whole = (await call("get_config")).etag;
    await call("roll_back", { n: entries[1].n, etag: whole });
    expect((await call("get_config", { path })).config).toBe("hello");
  });

  test("loads a whole config as text", async () => {
    const { etag } = await call("get_config");
    const config = "{\nadmin 127.0.0.1:0\n}\nhttp://127.0.0.1:0 {\nrespond new\n}";
    expect(await call("load_config", { config, etag: '"/config/ 1"' })).toMatch(/^412: /);
    expect(await call("load_config", { config: "nonsense here {", etag })).toMatch(/^400: /);
    expect((await running.admin("GET", "/config/apps")).text).toContain("hello");
  });

  test("cannot write a hidden secret back", async () => {
    const path = "/apps/http/servers/s/routes/1/handle/0/headers";
    const { config, etag } = await call("get_config", { path });
    expect(await call("change_config", { method: "PATCH", path, value: config, etag })).toMatch(
      /would replace what is there/,
    );
  });
});

test("a program relays an assistant", async () => {
  await running.server.engine.load(Buffer.from(JSON.stringify(configOf({ enabled: true }, site("hello")))));
  client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", "--address", running.adminUrl.replace("http://", "")],
    }),
  );
  expect(await call("list_listeners")).toMatchObject({ total_count: 1 });
});
