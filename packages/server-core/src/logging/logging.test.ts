import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";
import { ask } from "../testing/ask.ts";
import { rawRequest } from "../testing/raw-request.ts";

let folder = "";
let server: RunningServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logging-"));
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

const file = (name: string) => ({ output: "file", filename: join(folder, name) });
const lines = (name: string) =>
  readFileSync(join(folder, name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function config(logs: object, serverLogs: object | undefined = {}): object {
  const routes = [
    { match: [{ path: ["/fail"] }], handle: [{ handler: "error", status_code: 503 }] },
    {
      handle: [
        { handler: "log_append", key: "extra", value: "{http.request.method}" },
        { handler: "static_response", body: "ok" },
      ],
    },
  ];
  return {
    logging: { logs },
    apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], routes, logs: serverLogs } } } },
  };
}

test("requests are logged to the files that want them, and all is there when the server has stopped", async () => {
  server = await RunningServer.start(
    config({
      all: { writer: file("all.log") },
      errors: { writer: file("errors.log"), level: "error", include: ["http.log.access"] },
      others: { writer: file("others.log"), exclude: ["http.log"] },
      default: { writer: { output: "discard" } },
    }),
  );
  await ask(`${server.site}/a?q`, { headers: { Authorization: "secret" } });
  await ask(`${server.site}/fail`);
  await server.close();
  server = undefined;
  expect(lines("all.log")).toMatchObject([
    {
      msg: "handled request",
      status: 200,
      size: 2,
      extra: "GET",
      request: { uri: "/a?q", headers: { Authorization: ["REDACTED"] } },
    },
    { logger: "http.log.error", level: "error", status: 503 },
    { level: "error", status: 503 },
  ]);
  expect(lines("errors.log")).toMatchObject([{ status: 503 }]);
  expect(lines("others.log")).toEqual([]);
});

test("a request that is cut still has its client in the log, and a body its bytes that were read", async () => {
  const log = { writer: file("cut.log"), include: ["http.log.access"] };
  const cut = { match: [{ path: ["/cut"] }], handle: [{ handler: "static_response", abort: true }] };
  const upstream = { match: [{ path: ["/up"] }], handle: [{ handler: "static_response", body: "up" }] };
  const proxied = {
    match: [{ path: ["/read"] }],
    handle: [
      {
        handler: "reverse_proxy",
        rewrite: { uri: "/up" },
        upstreams: [{ dial: "127.0.0.1:{http.request.local.port}" }],
      },
    ],
  };
  const servers = {
    s: { listen: ["127.0.0.1:0"], routes: [upstream, proxied, cut], logs: {} },
  };
  server = await RunningServer.start({ logging: { logs: { log } }, apps: { http: { servers } } });
  await expect(ask(`${server.site}/cut`)).rejects.toThrow();
  await ask(`${server.site}/read`, {
    method: "POST",
    body: "five!",
    headers: { "Transfer-Encoding": "chunked" },
  });
  await server.close();
  server = undefined;
  const of = (uri: string) => lines("cut.log").find((line) => (line.request as { uri: string }).uri === uri);
  expect(of("/cut")).toMatchObject({
    request: { remote_ip: "127.0.0.1", client_ip: "127.0.0.1" },
  });
  expect(of("/read")).toMatchObject({ bytes_read: 5 });
});

test("what no logger makes goes to the sink of the config, and back when there is none", async () => {
  const before = console.log;
  server = await RunningServer.start({
    logging: { sink: { writer: file("sink.log"), level: "info", encoder: { format: "json", time_key: "" } } },
  });
  console.log("stray %d", 1);
  console.debug("below the level");
  await server.admin("POST", "/load", {});
  expect(console.log).toBe(before);
  const { error } = await server.admin("POST", "/load", { logging: { sink: { include: ["a"] } } });
  expect(error).toContain('unknown field "include", at /config/logging/sink/include');
  await server.close();
  server = undefined;
  expect(lines("sink.log")).toEqual([{ level: "info", msg: "stray 1" }]);
});

test("a change of logs holds from the next request on, and loses no line", async () => {
  server = await RunningServer.start(config({ default: { writer: file("one.log") } }));
  await ask(server.site);
  expect((await server.admin("PATCH", "/config/logging/logs/default/writer", file("two.log"))).status).toBe(
    200,
  );
  await ask(server.site);
  await server.close();
  server = undefined;
  expect([lines("one.log").length, lines("two.log").length]).toEqual([1, 1]);
});

test("without logs of a server nothing is logged", async () => {
  server = await RunningServer.start(config({ default: { writer: file("one.log") } }, undefined));
  const changed = await server.admin("DELETE", "/config/apps/http/servers/s/logs");
  expect(changed.status).toBe(200);
  await ask(server.site);
  await server.close();
  server = undefined;
  expect(lines("one.log")).toEqual([]);
});

test("a log that cannot be written is refused, and what ran goes on", async () => {
  server = await RunningServer.start(config({ default: { writer: file("one.log") } }));
  const bad = { writer: file("one.log/below") };
  const answer = await server.admin("POST", "/config/logging/logs/bad", bad);
  expect(answer.status).toBe(400);
  expect(answer.error).toContain("opening log writer");
  expect((await ask(server.site)).text).toBe("ok");
});

test.each([
  [{ x: { level: "LOUD" } }, "unrecognized log level"],
  [{ x: { writer: { output: "nope" } } }, "unknown module: logging.writers.nope"],
  [{ x: { encoder: { format: "nope" } } }, "unknown module: logging.encoders.nope"],
  [{ x: { bogus: 1 } }, 'json: unknown field "bogus", at /config/logging/logs/x/bogus'],
])("%j is refused", async (logs, message) => {
  await expect(RunningServer.start(config(logs))).rejects.toThrow(message);
});

test("what fails is logged as http.log.error: errors of the server, and at level debug all others", async () => {
  const { apps, ...more } = config(
    {
      errors: { writer: file("errors.log"), include: ["http.log.error"] },
      all: { writer: file("debug.log"), include: ["http.log.error"], level: "debug" },
      default: { writer: { output: "discard" } },
    },
    { logger_names: { "named.example": "named" } },
  ) as { apps: { http: { servers: { s: { routes: object[] } } } } };
  apps.http.servers.s.routes.unshift({
    match: [{ path: ["/gone"] }],
    handle: [{ handler: "error", status_code: 410, error: "no more" }],
  });
  server = await RunningServer.start({ ...more, apps });
  await ask(`${server.site}/fail`, { headers: { Host: "named.example", Cookie: "secret" } });
  await ask(`${server.site}/gone`);
  await server.close();
  server = undefined;
  const [failed, ...others] = lines("errors.log");
  expect(others).toEqual([]);
  expect(failed).toMatchObject({
    level: "error",
    logger: "http.log.error.named",
    status: 503,
    err_id: expect.stringMatching(/^[a-z0-9]{9}$/),
    request: { method: "GET", host: "named.example", uri: "/fail", headers: { Cookie: ["REDACTED"] } },
  });
  expect(lines("debug.log")).toMatchObject([
    { status: 503 },
    { level: "debug", logger: "http.log.error", msg: "no more", status: 410 },
  ]);
});

test("what error routes answer is logged at level debug", async () => {
  const made = config({
    errors: { writer: file("errors.log"), include: ["http.log.error"], level: "debug" },
    default: { writer: { output: "discard" } },
  }) as { apps: { http: { servers: { s: object } } } };
  Object.assign(made.apps.http.servers.s, {
    errors: { routes: [{ handle: [{ handler: "static_response" }] }] },
  });
  server = await RunningServer.start(made);
  await ask(`${server.site}/fail`);
  await server.close();
  server = undefined;
  expect(lines("errors.log")).toMatchObject([{ level: "debug", status: 503 }]);
});

test("error routes that fail are an error, with what they were for", async () => {
  const made = config({
    errors: { writer: file("errors.log"), include: ["http.log.error"] },
    default: { writer: { output: "discard" } },
  }) as { apps: { http: { servers: { s: object } } } };
  Object.assign(made.apps.http.servers.s, {
    errors: { routes: [{ handle: [{ handler: "error", status_code: 404, error: "no page" }] }] },
  });
  server = await RunningServer.start(made);
  await ask(`${server.site}/fail`);
  await server.close();
  server = undefined;
  expect(lines("errors.log")).toMatchObject([
    {
      level: "error",
      msg: "error handling handler error",
      error: "no page",
      first_error: { status: 503, err_id: expect.stringMatching(/^[a-z0-9]{9}$/) },
    },
  ]);
});

test.each([[{}], [{ errors: { routes: [{ handle: [{ handler: "static_response", abort: true }] }] } }]])(
  "a request that the site cuts has no status, and those behind it are not run: %j",
  async (more) => {
    const made = config({ access: { writer: file("access.log"), include: ["http.log.access"] } }, {}) as {
      apps: { http: { servers: { s: { routes: object[] } } } };
    };
    const { s } = made.apps.http.servers;
    Object.assign(s, more);
    if (!("errors" in more)) {
      s.routes.unshift({
        match: [{ path: ["/fail"] }],
        handle: [{ handler: "static_response", abort: true }],
      });
    }
    server = await RunningServer.start(made);
    const answer = await rawRequest(
      server.site,
      "GET /fail HTTP/1.1\r\nHost: a\r\n\r\nGET /behind HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    expect(answer).toBe("");
    await server.close();
    server = undefined;
    expect(lines("access.log")).toMatchObject([
      { msg: "handled request", status: 0, request: { uri: "/fail" } },
    ]);
  },
);

test("with `trace` each handler that a request comes to is logged", async () => {
  server = await RunningServer.start(
    config(
      {
        trace: { writer: file("trace.log"), include: ["http.log.trace"], level: "debug" },
        default: { writer: { output: "discard" } },
      },
      { trace: true },
    ),
  );
  await ask(`${server.site}/a`);
  await server.close();
  server = undefined;
  expect(lines("trace.log").map(({ logger, msg }) => `${logger}: ${msg}`)).toEqual([
    "http.log.trace: http.handlers.log_append",
    "http.log.trace: http.handlers.static_response",
  ]);
});

test("lines say who wrote them, and by which way, where a log asks for it", async () => {
  const writer = (name: string) => ({ writer: file(name), include: ["http.log.access"] });
  server = await RunningServer.start(
    config({
      caller: { ...writer("caller.log"), with_caller: true },
      above: { ...writer("above.log"), with_caller: true, with_caller_skip: 1 },
      stack: { ...writer("stack.log"), with_stacktrace: "error" },
      default: { writer: { output: "discard" } },
    }),
  );
  await ask(`${server.site}/a`);
  await ask(`${server.site}/fail`);
  await server.close();
  server = undefined;
  const [own] = lines("caller.log");
  const [above] = lines("above.log");
  expect([own?.caller, above?.caller]).toEqual([
    expect.stringMatching(/^[\w-]+\.ts:\d+$/),
    expect.stringMatching(/^[\w-]+\.ts:\d+$/),
  ]);
  expect(above?.caller).not.toBe(own?.caller);
  const [informed, failed] = lines("stack.log");
  expect([informed?.stacktrace, informed?.caller]).toEqual([undefined, undefined]);
  expect(JSON.stringify(failed)).toContain(String(own?.caller).replace(/:.*/, ""));
});
