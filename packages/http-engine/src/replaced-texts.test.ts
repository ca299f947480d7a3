// Every use of Caddy's replacer (Caddy 2.11.9) within requests: an unknown placeholder becomes empty
// (ReplaceAll) or stays (ReplaceKnown). Uses while a config is set up: ../modules/config-placeholders.test.ts.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
/** Answers with the value of the header `X` that it received. */
let upstream: Server;
beforeAll(async () => {
  running = await RunningServer.start();
  upstream = createServer(({ headers }, response) => void response.end(String(headers.x)));
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
});
afterAll(async () => {
  upstream.close();
  await running.close();
});

/** Unknown in every request. */
const unknown = "{no.such}";
const say = (body: string) => ({ handler: "static_response", body });
const show = say("{http.request.method} {http.request.uri}");
const rewrite = (fields: object) => [{ handle: [{ handler: "rewrite", ...fields }] }, { handle: [show] }];
const match = (matcher: object) => [{ match: [matcher], handle: [say("matched")] }];
const handle = (...handlers: object[]) => [{ handle: handlers }];
const errors = (handlers: object) => [
  {
    handle: [
      {
        handler: "subroute",
        routes: [{ handle: [handlers] }],
        errors: { routes: [{ handle: [say("{http.error.status_code} {http.error.message}")] }] },
      },
    ],
  },
];
const proxy = (fields: (port: number) => object) => () =>
  handle({ handler: "reverse_proxy", ...fields((upstream.address() as AddressInfo).port) });

type Routes = object[] | (() => object[]);

/** Position in the model, routes, and the response to `GET /p/q?a=1` of `site.example` with `X: v`. */
const rows: Readonly<Record<string, readonly [model: string, routes: Routes, answer: string]>> = {
  "static_response: body": [
    "staticresp.go",
    handle(say(`{"a": {"b": "${unknown}{http.request.method}"}}`)),
    `{"a": {"b": "{no.such}GET"}}`,
  ],
  "error: error, status_code": [
    "staticerror.go",
    errors({ handler: "error", error: `e${unknown}`, status_code: `4${unknown}18` }),
    "418 e{no.such}",
  ],
  "vars: names, values": [
    "vars.go",
    handle({ handler: "vars", [`x${unknown}`]: `v${unknown}w` }, say("{http.vars.x}")),
    "vw",
  ],
  "map: source, outputs": [
    "map/map.go",
    handle(
      {
        handler: "map",
        source: `${unknown}GET`,
        destinations: ["{d}"],
        mappings: [{ input: "GET", outputs: [`o${unknown}`] }],
      },
      say("{d}"),
    ),
    "o",
  ],
  "map: defaults": [
    "map/map.go",
    handle({ handler: "map", source: "x", destinations: ["{d}"], defaults: [`o${unknown}`] }, say("{d}")),
    "o",
  ],
  "rewrite: method": ["rewrite/rewrite.go", rewrite({ method: `PUT${unknown}` }), "PUT /p/q?a=1"],
  "rewrite: uri": [
    "rewrite/rewrite.go",
    rewrite({ uri: `/n${unknown}w?q${unknown}=1${unknown}` }),
    "GET /nw?q=1",
  ],
  "rewrite: strip_path_prefix": [
    "rewrite/rewrite.go",
    rewrite({ strip_path_prefix: `/p${unknown}` }),
    "GET /q?a=1",
  ],
  "rewrite: strip_path_suffix": [
    "rewrite/rewrite.go",
    rewrite({ strip_path_suffix: `/q${unknown}` }),
    "GET /p?a=1",
  ],
  "rewrite: uri_substring": [
    "rewrite/rewrite.go",
    rewrite({ uri_substring: [{ find: `/p${unknown}`, replace: `/x${unknown}` }] }),
    "GET /x/q?a=1",
  ],
  "rewrite: path_regexp": [
    "rewrite/rewrite.go",
    rewrite({ path_regexp: [{ find: "^/p", replace: `/x${unknown}` }] }),
    "GET /x/q?a=1",
  ],
  "rewrite: query set, add": [
    "rewrite/rewrite.go",
    rewrite({
      query: {
        set: [{ key: `a${unknown}`, val: `2${unknown}` }],
        add: [{ key: `b${unknown}`, val: `3${unknown}` }],
      },
    }),
    "GET /p/q?a=2&b=3",
  ],
  "rewrite: query rename": [
    "rewrite/rewrite.go",
    rewrite({ query: { rename: [{ key: `a${unknown}`, val: `c${unknown}` }] } }),
    "GET /p/q?c=1",
  ],
  "rewrite: query delete": [
    "rewrite/rewrite.go",
    rewrite({ query: { delete: [`a${unknown}`] } }),
    "GET /p/q",
  ],
  "rewrite: query replace": [
    "rewrite/rewrite.go",
    rewrite({ query: { replace: [{ key: `a${unknown}`, search: "1", replace: `r${unknown}` }] } }),
    "GET /p/q?a=r%7Bno.such%7D",
  ],
  host: ["matchers.go MatchHost", match({ host: [`site${unknown}.example`] }), "matched"],
  path: ["matchers.go MatchPath", match({ path: [`/p${unknown}/q`] }), "matched"],
  query: ["matchers.go MatchQuery", match({ query: { [`a${unknown}`]: [`1${unknown}`] } }), "matched"],
  header: ["matchers.go matchHeaders", match({ header: { X: [`v${unknown}`] } }), "matched"],
  vars: ["vars.go VarsMatcher", match({ vars: { "{http.request.method}": [`GET${unknown}`] } }), "matched"],
  "headers: request": [
    "headers/headers.go",
    handle(
      { handler: "headers", request: { set: { Y: [`y${unknown}{http.request.header.X}`] } } },
      say("{http.request.header.Y}"),
    ),
    "y{no.such}v",
  ],
  "headers: replace": [
    "headers/headers.go",
    handle(
      { handler: "headers", request: { replace: { X: [{ search: "v", replace: `w${unknown}` }] } } },
      say("{http.request.header.X}"),
    ),
    "w{no.such}",
  ],
  "reverse_proxy: dial, headers": [
    "reverseproxy/hosts.go, headers/headers.go",
    proxy((port) => ({
      upstreams: [{ dial: `127.0.0.1:${unknown}${port}` }],
      headers: { request: { set: { X: [`x${unknown}`] } } },
    })),
    "x{no.such}",
  ],
};

test.each(Object.entries(rows))("%s", async (_field, [, routes, answer]) => {
  const site = { listen: ["127.0.0.1:0"], routes: typeof routes === "function" ? routes() : routes };
  const loaded = await running.admin("POST", "/load", {
    apps: { http: { servers: { s: { ...site, automatic_https: { disable: true } } } } },
  });
  expect(loaded.error).toBe("");
  const { text } = await ask(`${running.site}/p/q?a=1`, { headers: { Host: "site.example", X: "v" } });
  expect(text).toBe(answer);
});

test("a header of several lines, cookies and unreadable parts of a query are read as by the model", async () => {
  const names = [
    "header.X",
    "header.Cookie",
    "cookie.a",
    "cookie.Q",
    "cookie.bad",
    "uri.query.a",
    "uri.query.b",
  ];
  const body = names.map((name) => `{http.request.${name}}`).join("|");
  await running.admin("POST", "/load", {
    apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], routes: handle(say(body)) } } } },
  });
  const { text } = await ask(`${running.site}/?a=1&a=2&b=%zz&b=3;4`, {
    headers: { X: ["1", "2"], Cookie: 'A=up; a=low; q="quoted"; bad=a"b' },
  });
  expect(text).toBe('1,2|A=up; a=low; q="quoted"; bad=a"b|up|quoted||1,2|');
});
