import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

const routes = "/config/apps/http/servers/s/routes";
const server = "/config/apps/http/servers/s";

/** One row of the table of requests: a request, its answer, and the value that a path has afterwards. */
interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  /** Part of the answer's `error`; when absent, the body must be empty. */
  readonly error?: string;
  readonly leaves?: readonly [path: string, value: unknown];
}

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const named = { "@id": "first", ...(respond("one") as object) };
beforeEach(async () => {
  expect((await running.admin("POST", "/load", siteConfig(named, respond("two")))).status).toBe(200);
});

async function check(row: Row): Promise<void> {
  const before = await running.admin("GET", "/config/");
  const answer = await running.admin(row.method, row.path, row.body, row.headers);
  expect({ status: answer.status, error: answer.error }).toEqual({
    status: row.status,
    error: row.error === undefined ? "" : expect.stringContaining(row.error),
  });
  if (row.error !== undefined) {
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.text.endsWith("}\n")).toBe(true);
    expect((await running.admin("GET", "/config/")).text).toBe(before.text);
  }
  if (row.leaves !== undefined) {
    const [path, value] = row.leaves;
    expect(JSON.parse((await running.admin("GET", path)).text)).toEqual(value);
  }
}

describe("GET", () => {
  test("gives compact JSON with sorted keys, a newline and an ETag", async () => {
    const answer = await running.admin("GET", `${routes}/1/`);
    expect(answer.text).toBe('{"handle":[{"body":"two","handler":"static_response"}]}\n');
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.headers.etag).toMatch(new RegExp(`^"${routes}/1/ [0-9a-f]{16}"$`));
  });

  test("an absent last key is null", async () => {
    expect(await running.admin("GET", "/config/apps/http/servers/zz")).toMatchObject({
      status: 200,
      text: "null\n",
    });
  });

  test("through /id/ the ETag has the expanded path", async () => {
    const answer = await running.admin("GET", "/id/first/handle/0/");
    expect(JSON.parse(answer.text)).toEqual({ handler: "static_response", body: "one" });
    expect(answer.headers.etag).toContain(`"${routes}/0/handle/0 `);
  });

  test.each<Row>([
    {
      name: "absent key on the way",
      method: "GET",
      path: "/config/a/b",
      status: 400,
      error: "invalid traversal path at: config/a/b",
    },
    {
      name: "scalar on the way",
      method: "GET",
      path: `${routes}/0/handle/0/body/x`,
      status: 400,
      error: "invalid traversal path at: config/apps/http/servers/s/routes/0/handle/0/body/x",
    },
    {
      name: "index too large",
      method: "GET",
      path: `${routes}/9`,
      status: 400,
      error: `[${routes}/9] array index out of bounds: 9`,
    },
    {
      name: "negative index",
      method: "GET",
      path: `${routes}/-1`,
      status: 400,
      error: "array index out of bounds: -1",
    },
    {
      name: "no index",
      method: "GET",
      path: `${routes}/x`,
      status: 400,
      error: `[${routes}/x] invalid array index 'x'`,
    },
    {
      name: "index with a zero",
      method: "GET",
      path: `${routes}/01`,
      status: 400,
      error: "invalid array index '01'",
    },
    {
      name: "index with a sign",
      method: "GET",
      path: `${routes}/+1`,
      status: 400,
      error: "invalid array index '+1'",
    },
    { name: "bad escape", method: "GET", path: "/config/%zz", status: 400, error: "invalid URL escape" },
    {
      name: "unknown id with another method",
      method: "OPTIONS",
      path: "/id/zz",
      status: 404,
      error: "unknown object ID 'zz'",
    },
    {
      name: "id with another method",
      method: "OPTIONS",
      path: "/id/first",
      status: 405,
      error: "method OPTIONS not allowed",
    },
    { name: "unknown id", method: "GET", path: "/id/zz", status: 404, error: "unknown object ID 'zz'" },
    {
      name: "empty id",
      method: "GET",
      path: "/id/",
      status: 400,
      error: "request path is missing object ID",
    },
    {
      name: "bad path below an id",
      method: "GET",
      path: "/id/first/a/b",
      status: 400,
      error: "invalid traversal path",
    },
  ])("$name: $status", check);
});

describe("changes", () => {
  test.each<Row>([
    {
      name: "POST appends to an array",
      method: "POST",
      path: routes,
      body: respond("three"),
      status: 200,
      leaves: [`${routes}/2`, respond("three")],
    },
    {
      name: "POST appends a route that is null: it does nothing",
      method: "POST",
      path: routes,
      body: "null",
      status: 200,
      leaves: [`${routes}/2`, null],
    },
    {
      name: "PUT with a number that is none",
      method: "PUT",
      path: server,
      body: '{"a":1e400}',
      status: 400,
      error: "a number is out of the range",
    },
    {
      name: "POST to an index appends",
      method: "POST",
      path: `${routes}/0`,
      body: respond("three"),
      status: 200,
      leaves: [`${routes}/2`, respond("three")],
    },
    {
      name: "POST /... appends each",
      method: "POST",
      path: `${routes}/...`,
      body: [respond("3"), respond("4")],
      status: 200,
      leaves: [`${routes}/3`, respond("4")],
    },
    {
      name: "POST creates a key",
      method: "POST",
      path: `${server}/idle_timeout`,
      body: '"1m"',
      status: 200,
      leaves: [`${server}/idle_timeout`, "1m"],
    },
    {
      name: "POST replaces a key",
      method: "POST",
      path: `${routes}/0/handle/0/body`,
      body: '"new"',
      status: 200,
      leaves: [`${routes}/0/handle/0/body`, "new"],
    },
    {
      name: "POST without a body sets null",
      method: "POST",
      path: `${routes}/0/handle/0/body`,
      body: "",
      status: 200,
      leaves: [`${routes}/0/handle/0/body`, null],
    },
    {
      name: "POST appends to an absent array",
      method: "POST",
      path: `${routes}/0/match`,
      body: { path: ["/a"] },
      status: 200,
      leaves: [`${routes}/0/match`, [{ path: ["/a"] }]],
    },
    {
      name: "POST appends to an absent array of a module in a module",
      method: "POST",
      path: `${routes}/0/match/0/host`,
      body: '"a"',
      headers: {},
      status: 400,
      error: "invalid traversal path",
    },
    {
      name: "PUT inserts",
      method: "PUT",
      path: `${routes}/1`,
      body: respond("mid"),
      status: 200,
      leaves: [`${routes}/1`, respond("mid")],
    },
    {
      name: "PUT inserts at the end",
      method: "PUT",
      path: `${routes}/2`,
      body: respond("end"),
      status: 200,
      leaves: [`${routes}/2`, respond("end")],
    },
    {
      name: "PUT creates a key and its parents",
      method: "PUT",
      path: "/config/admin/config/persist",
      body: "false",
      status: 200,
      leaves: ["/config/admin/config", { persist: false }],
    },
    {
      name: "PUT creates an absent array",
      method: "PUT",
      path: `${routes}/0/match/0`,
      body: { path: ["/a"] },
      status: 200,
      leaves: [`${routes}/0/match`, [{ path: ["/a"] }]],
    },
    {
      name: "PATCH replaces a key",
      method: "PATCH",
      path: `${routes}/0/handle/0/body`,
      body: '"new"',
      status: 200,
      leaves: [`${routes}/0/handle/0/body`, "new"],
    },
    {
      name: "PATCH replaces an element",
      method: "PATCH",
      path: `${routes}/1`,
      body: respond("new"),
      status: 200,
      leaves: [`${routes}/1`, respond("new")],
    },
    {
      name: "DELETE removes a key",
      method: "DELETE",
      path: `${routes}/0/handle/0/body`,
      status: 200,
      leaves: [`${routes}/0/handle/0`, { handler: "static_response" }],
    },
    {
      name: "DELETE removes an element",
      method: "DELETE",
      path: `${routes}/0`,
      status: 200,
      leaves: [routes, [respond("two")]],
    },
    {
      name: "DELETE /config/ unloads all",
      method: "DELETE",
      path: "/config/",
      status: 200,
      leaves: ["/config/", null],
    },
    {
      name: "a change that changes nothing",
      method: "PATCH",
      path: `${routes}/1`,
      body: respond("two"),
      status: 200,
    },
    {
      name: "through /id/",
      method: "PATCH",
      path: "/id/first/handle/0/body",
      body: '"new"',
      status: 200,
      leaves: ["/id/first/handle/0/body", "new"],
    },
    {
      name: "a media type that contains /json",
      method: "PATCH",
      path: `${routes}/1`,
      body: respond("x"),
      headers: { "Content-Type": "text/json; charset=utf-8" },
      status: 200,
      leaves: [`${routes}/1`, respond("x")],
    },
  ])("$name: $status", check);

  test.each<Row>([
    {
      name: "wrong content type",
      method: "POST",
      path: routes,
      body: "{}",
      headers: { "Content-Type": "text/plain" },
      status: 400,
      error: "unacceptable content-type: text/plain; 'application/json' required",
    },
    {
      name: "no content type",
      method: "PATCH",
      path: routes,
      body: "{}",
      headers: { "Content-Type": "" },
      status: 400,
      error: "unacceptable content-type: ; 'application/json' required",
    },
    {
      name: "no JSON",
      method: "POST",
      path: routes,
      body: '{"a":1',
      status: 400,
      error: "decoding request body: unexpected end of JSON input, at offset 6",
    },
    {
      name: "too deep",
      method: "POST",
      path: routes,
      body: `${"[".repeat(1500)}${"]".repeat(1500)}`,
      status: 400,
      error: "nested deeper than the limit",
    },
    {
      name: "POST /... without an array",
      method: "POST",
      path: `${routes}/...`,
      body: respond("x"),
      status: 400,
      error: "final element is not an array",
    },
    {
      name: "PUT past the end",
      method: "PUT",
      path: `${routes}/3`,
      body: respond("x"),
      status: 400,
      error: `[${routes}/3] array index out of bounds: 3`,
    },
    {
      name: "PUT an existing key",
      method: "PUT",
      path: `${server}/listen`,
      body: [],
      status: 409,
      error: `[${server}/listen] key already exists: listen`,
    },
    {
      name: "PUT an existing config",
      method: "PUT",
      path: "/config/",
      body: {},
      status: 409,
      error: "[/config/] key already exists: config",
    },
    {
      name: "PATCH a missing key",
      method: "PATCH",
      path: `${server}/zz`,
      body: "1",
      status: 404,
      error: `[${server}/zz] key does not exist: zz`,
    },
    {
      name: "PATCH past the end",
      method: "PATCH",
      path: `${routes}/2`,
      body: "1",
      status: 400,
      error: "array index out of bounds: 2",
    },
    {
      name: "DELETE a missing key",
      method: "DELETE",
      path: `${server}/zz`,
      status: 404,
      error: "key does not exist: zz",
    },
    {
      name: "DELETE past the end",
      method: "DELETE",
      path: `${routes}/2`,
      status: 400,
      error: "array index out of bounds: 2",
    },
    {
      name: "DELETE no index",
      method: "DELETE",
      path: `${routes}/x`,
      status: 400,
      error: "invalid array index 'x'",
    },
    {
      name: "POST below a missing key",
      method: "POST",
      path: "/config/a/b/c",
      body: "1",
      status: 400,
      error: "invalid traversal path at: config/a/b",
    },
    {
      name: "a path of too many segments",
      method: "PUT",
      path: `/config${"/a".repeat(3000)}`,
      body: "1",
      status: 400,
      error: "3001 segments, limit 1001",
    },
    {
      name: "an unknown top-level field",
      method: "POST",
      path: "/config/zzz",
      body: "1",
      status: 400,
      error: 'loading new config: json: unknown field "zzz", at /config/zzz',
    },
    {
      name: "a part that is not supported",
      method: "POST",
      path: "/config/logging",
      body: { logs: { own: { core: { module: "mock" } } } },
      status: 400,
      error: 'field "core" is not supported yet',
    },
    {
      name: "an unknown app",
      method: "POST",
      path: "/config/apps/nope",
      body: "{}",
      status: 400,
      error: "loading new config: loading nope app module: unknown module: nope",
    },
    {
      name: "an unknown field of an app",
      method: "POST",
      path: "/config/apps/http/bogus",
      body: "1",
      status: 400,
      error:
        'loading http app module: decoding module config: http: json: unknown field "bogus", at /config/apps/http/bogus',
    },
    ...["constructor", "toString", "hasOwnProperty", "__proto__"].flatMap((key): Row[] =>
      ["/config/apps/http", server, `${routes}/0`, `${routes}/0/handle/0`].map((parent) => ({
        name: `${key} as a field, at ${parent}`,
        method: "POST",
        path: `${parent}/${key}`,
        body: "{}",
        status: 400,
        error: `json: unknown field "${key}", at ${parent}/${key}`,
      })),
    ),
    {
      name: "__proto__ as the key of a map",
      method: "POST",
      path: "/load",
      body: '{"apps":{"http":{"servers":{"s":{"routes":[{"match":[{"\\u005f_proto__":{}}]}]}}}}}',
      status: 400,
      error: `json: unknown field "__proto__", at ${routes}/0/match/0/__proto__`,
    },
    {
      name: "__proto__ as a server",
      method: "PUT",
      path: "/config/apps/http/servers/__proto__",
      body: "{}",
      status: 400,
      error: 'json: unknown field "__proto__", at /config/apps/http/servers/__proto__',
    },
    {
      name: "an unknown handler",
      method: "PATCH",
      path: `${routes}/0/handle/0/handler`,
      body: '"nope"',
      status: 400,
      error:
        "loading new config: loading http app module: provision http: server s: setting up route handlers: route 0: loading handler modules: position 0: loading module 'nope': unknown module: http.handlers.nope",
    },
    {
      name: "an unknown field of a handler",
      method: "POST",
      path: `${routes}/0/handle/0/bogus`,
      body: "1",
      status: 400,
      error: `decoding module config: http.handlers.static_response: json: unknown field "bogus", at ${routes}/0/handle/0/bogus`,
    },
    {
      name: "a handler without a name",
      method: "DELETE",
      path: `${routes}/0/handle/0/handler`,
      status: 400,
      error: "module name not specified with key 'handler'",
    },
    {
      name: "an unknown matcher",
      method: "POST",
      path: `${routes}/0/match`,
      body: [{ nope: [] }],
      status: 400,
      error: "route 0: loading matcher modules: module name 'nope': unknown module: http.matchers.nope",
    },
    {
      name: "a bad duration",
      method: "POST",
      path: "/config/apps/http/grace_period",
      body: '"zz"',
      status: 400,
      error: 'time: invalid duration "zz"',
    },
    {
      name: "a listen address twice",
      method: "POST",
      path: "/config/apps/http/servers/t",
      body: { listen: ["127.0.0.1:0"] },
      status: 400,
      error: "listener address repeated: tcp/127.0.0.1:0 (already claimed by server 's')",
    },
    {
      name: "a connection policy that cannot be",
      method: "POST",
      path: "/config/apps/http/servers/t",
      body: { listen: ["127.0.0.1:443"], tls_connection_policies: [{ curves: ["secp1"] }] },
      status: 400,
      error: "unsupported curve: secp1, at /config/apps/http/servers/t/tls_connection_policies/0/curves/0",
    },
    {
      name: "an id twice",
      method: "POST",
      path: routes,
      body: { "@id": "first" },
      status: 400,
      error: `indexing config: duplicate ID 'first' found at ${routes}/0 and ${routes}/2`,
    },
    {
      name: "an id that is no name",
      method: "POST",
      path: routes,
      body: { "@id": true },
      status: 400,
      error: `indexing config: ${routes}/2: @id field must be a string or number`,
    },
    {
      name: "malformed If-Match",
      method: "DELETE",
      path: routes,
      headers: { "If-Match": "*" },
      status: 400,
      error: "malformed If-Match header; expect quoted string",
    },
    {
      name: "If-Match of one word",
      method: "DELETE",
      path: routes,
      headers: { "If-Match": '"a"' },
      status: 400,
      error: 'malformed If-Match header; expect format "<path> <hash>"',
    },
    {
      name: "If-Match with another hash",
      method: "DELETE",
      path: routes,
      headers: { "If-Match": '"/config/ 0000000000000000"' },
      status: 412,
      error: "If-Match header did not match current config hash",
    },
    {
      name: "If-Match with a path that leads nowhere",
      method: "DELETE",
      path: routes,
      headers: { "If-Match": '"/config/a/b/c 0"' },
      status: 400,
      error: "invalid traversal path at: config/a/b",
    },
    {
      name: "OPTIONS",
      method: "OPTIONS",
      path: "/config/",
      status: 405,
      error: "method OPTIONS not allowed",
    },
  ])("refuses $name: $status", check);

  test("HEAD is not allowed", async () => {
    expect((await running.admin("HEAD", "/config/")).status).toBe(405);
  });

  test("If-Match of any scope lets a change through while that scope is the same", async () => {
    const etag = (await running.admin("GET", `${routes}/1`)).headers.etag ?? "";
    const change = (body: string) =>
      running.admin("PATCH", `${routes}/0/handle/0/body`, body, { "If-Match": etag });
    expect((await change('"a"')).status).toBe(200);
    expect((await running.admin("PATCH", `${routes}/1/handle/0/body`, '"b"')).status).toBe(200);
    expect((await change('"c"')).status).toBe(412);
  });

  test("of fifty changes with the same If-Match exactly one wins", async () => {
    const etag = (await running.admin("GET", "/config/")).headers.etag ?? "";
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, each) =>
        running.admin("PATCH", `${routes}/0/handle/0/body`, JSON.stringify(`v${each}`), { "If-Match": etag }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(412)]);
  });
});

describe("a change takes effect", () => {
  test("on the site at once, and not when it was refused", async () => {
    const body = async () => (await ask(running.site)).text;
    expect(await body()).toBe("one");
    await running.admin("PATCH", "/id/first/handle/0/body", '"changed"');
    expect(await body()).toBe("changed");
    await running.admin("PATCH", "/id/first/handle/0/handler", '"nope"');
    expect(await body()).toBe("changed");
  });

  test("must-revalidate reloads what did not change", async () => {
    const gauge = async () =>
      /^server_config_last_reload_success_timestamp_seconds (\S+)/m.exec(
        (await running.admin("GET", "/metrics")).text,
      )?.[1];
    const before = await gauge();
    await running.admin("PATCH", `${routes}/1`, respond("two"));
    expect(before).toMatch(/^\d+/);
    expect(await gauge()).toBe(before);
    await running.admin("PATCH", `${routes}/1`, respond("two"), { "Cache-Control": "must-revalidate" });
    expect(Number(await gauge())).toBeGreaterThan(Number(before));
  });

  test("deleting a server closes its port, deleting all keeps the admin endpoint", async () => {
    const { site } = running;
    await running.admin("DELETE", server);
    await expect(ask(site)).rejects.toThrow();
    expect((await running.admin("DELETE", "/config/")).status).toBe(200);
    expect((await running.admin("GET", "/config/")).text).toBe("null\n");
  });
});
