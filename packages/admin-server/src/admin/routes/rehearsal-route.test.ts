import { routeFiguresTopic } from "http-engine/route-figures";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../testing/running-server.ts";

interface Rehearsed {
  server: string | null;
  listeners: { address: string; tls: boolean }[];
  routes: { at: string | null; handlers: { name: string; effect: string }[]; after?: { uri: string } }[];
  passed: { at: string | null; refused_by: string[] }[];
  passed_count: number;
  answered_by: { at: string | null; name: string; config: unknown } | null;
  may_answer_before: { name: string }[];
  failure: { status: number } | null;
  status: number | null;
  headers: Record<string, string[]>;
}

let running: RunningServer;
const text = (body: string, status_code = 200) => ({ handler: "static_response", status_code, body });
const at = (path: string, ...handle: object[]) => ({ match: [{ path: [path] }], handle });

beforeAll(async () => {
  running = await RunningServer.start({
    apps: {
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            routes: [
              { handle: [{ handler: "vars", who: "{http.request.header.X-Who}" }] },
              { group: "one", ...at("/first", text("first")) },
              { group: "one", ...at("/first*", text("second")) },
              {
                match: [{ host: ["other.example"], method: ["GET"] }],
                handle: [text("other")],
                terminal: true,
              },
              at("/old/*", { handler: "rewrite", strip_path_prefix: "/old" }),
              at("/moved", {
                handler: "static_response",
                status_code: 308,
                headers: { Location: ["https://{http.request.host}/new{http.request.uri.query}"] },
              }),
              at("/auth", { handler: "authentication" }, text("in")),
              at(
                "/proxy",
                { handler: "encode", encodings: { gzip: {} } },
                {
                  handler: "reverse_proxy",
                  upstreams: [{ dial: "127.0.0.1:9" }],
                },
              ),
              at(
                "/ask",
                {
                  handler: "reverse_proxy",
                  upstreams: [{ dial: "127.0.0.1:9" }],
                  handle_response: [
                    { match: { status_code: [2] }, routes: [{ handle: [{ handler: "vars" }] }] },
                  ],
                },
                text("asked"),
              ),
              at("/fails", { handler: "error", status_code: 418 }),
              at("/sub/*", {
                handler: "subroute",
                routes: [
                  at("/sub/caught", { handler: "error", status_code: 409 }),
                  { match: [{ vars: { who: ["me", "mé"] } }], handle: [text("me", 202)] },
                ],
                errors: { routes: [{ handle: [text("sorry", 503)] }] },
              }),
              at("/named", { handler: "invoke", name: "n/1" }),
              at("/loop", { handler: "invoke", name: "loop" }),
              at("/abort", { handler: "static_response", abort: true }),
              at(
                "/files/*",
                { handler: "file_server", root: "/nowhere", pass_thru: true },
                text("no file", 404),
              ),
              { match: [{ remote_ip: { ranges: ["10.0.0.0/8"] } }], handle: [text("inside", 203)] },
            ],
            errors: {
              routes: [
                { match: [{ expression: "{http.error.status_code} == 418" }], handle: [text("tea", 418)] },
              ],
            },
            named_routes: {
              "n/1": { handle: [text("named", 207)] },
              loop: { handle: [{ handler: "invoke", name: "loop" }] },
            },
          },
        },
      },
    },
  });
});
afterAll(() => running.close());

async function rehearse(target: string, parameters: readonly [string, string][] = []): Promise<Rehearsed> {
  const query = new URLSearchParams([["url", `${running.site}${target}`], ...parameters]);
  const { status, text: body } = await running.admin("GET", `/http/rehearsal?${query}`);
  expect([status, body]).toEqual([200, expect.any(String)]);
  return JSON.parse(body) as Rehearsed;
}

const here = (place: string) => `/apps/http/servers/s/${place}`;

test.each<[target: string, status: number | null, answered: string | null, place: string | null]>([
  ["/first", 200, "static_response", here("routes/1/handle/0")],
  ["/firstly", 200, "static_response", here("routes/2/handle/0")],
  ["/moved?a=b", 308, "static_response", here("routes/5/handle/0")],
  ["/old/moved", 308, "static_response", here("routes/5/handle/0")],
  ["/fails", 418, "static_response", here("errors/routes/0/handle/0")],
  ["/sub/caught", 503, "static_response", here("routes/10/handle/0/errors/routes/0/handle/0")],
  ["/named", 207, "static_response", here("named_routes/n~11/handle/0")],
  ["/proxy", null, "reverse_proxy", here("routes/7/handle/1")],
  ["/none", null, null, null],
  ["/%zz", null, null, null],
])("%s: %j by %s", async (target, status, answered, place) => {
  const { status: told, answered_by, headers } = await rehearse(target);
  expect([told, answered_by?.name ?? null, answered_by?.at ?? null]).toEqual([status, answered, place]);
  const answer = await ask(`${running.site}${target}`);
  if (status !== null) {
    expect([answer.status, answer.headers.location]).toEqual([status, headers.Location?.[0]]);
  }
});

test("says what each handler does, what changed, and why other routes are not for it", async () => {
  const { routes, passed, passed_count, answered_by, server } = await rehearse("/old/first");
  expect([server, answered_by]).toEqual(["s", null]);
  expect(routes).toEqual([
    { at: here("routes/0"), handlers: [{ at: here("routes/0/handle/0"), name: "vars", effect: "ran" }] },
    {
      at: here("routes/4"),
      handlers: [{ at: here("routes/4/handle/0"), name: "rewrite", effect: "ran" }],
      after: { method: "GET", host: expect.any(String), uri: "/first" },
    },
  ]);
  expect(passed_count).toBe(passed.length);
  expect(passed.slice(0, 4)).toEqual([
    { at: here("routes/1"), refused_by: ["path"] },
    { at: here("routes/2"), refused_by: ["path"] },
    { at: here("routes/3"), refused_by: ["host"] },
    { at: here("routes/5"), refused_by: ["path"] },
  ]);
});

test.each<[name: string, target: string, parameters: [string, string][], status: number | null]>([
  ["a field that matchers see", "/sub/x", [["header", "X-Who: me"]], 202],
  ["a field with a letter beyond ASCII", "/sub/x", [["header", "X-Who: mé"]], 202],
  ["another client", "/none", [["client", "10.1.2.3"]], 203],
  ["another method", "/none", [["method", "DELETE"]], null],
])("the question has %s", async (_name, target, parameters, status) => {
  expect((await rehearse(target, parameters)).status).toBe(status);
});

test("what may answer before is said, and the rest of the way is told beside it", async () => {
  for (const [target, names] of [
    ["/auth", ["authentication"]],
    ["/ask", ["reverse_proxy"]],
    ["/files/x", ["file_server"]],
  ] as const) {
    const { may_answer_before, answered_by } = await rehearse(target);
    expect([may_answer_before.map(({ name }) => name), answered_by?.name]).toEqual([
      names,
      "static_response",
    ]);
  }
});

test("a way without end, a cut connection and a port where nobody listens are said", async () => {
  const loop = await running.admin("GET", `/http/rehearsal?url=${running.site}/loop`);
  expect([loop.status, loop.error]).toEqual([400, expect.stringMatching(/more than 400 routes.*invoke/)]);
  const cut = await rehearse("/abort");
  expect([cut.answered_by?.name, cut.status]).toEqual(["static_response", null]);
  const { text: body } = await running.admin("GET", "/http/rehearsal?url=https://a.example/");
  expect(JSON.parse(body)).toMatchObject({
    server: null,
    listeners: [{ address: running.site.replace("http://", ""), tls: false }],
  });
});

test.each([
  ["", "url must be"],
  ["url=ftp://a/", "url must be"],
  ["url=http://a/%23x%0d", "url must be"],
  ["url=http://a/&method=G%20T", "method must be"],
  ["url=http://a/&header=nothing", "header must be"],
  ["url=http://a/&header=a:%20b%0d%0ac", "header must be"],
  ["url=http://a/&host=b", "unknown parameter"],
])("?%s is refused: %s", async (query, message) => {
  const { status, text: body } = await running.admin("GET", `/http/rehearsal?${query}`);
  expect([status, JSON.parse(body).error]).toEqual([400, expect.stringContaining(message)]);
});

test("nobody is asked and nothing is counted", async () => {
  await rehearse("/first");
  const readings = await running.server.services.messages.askServing(routeFiguresTopic, null);
  await rehearse("/firstly");
  expect(await running.server.services.messages.askServing(routeFiguresTopic, null)).toEqual(readings);
});
