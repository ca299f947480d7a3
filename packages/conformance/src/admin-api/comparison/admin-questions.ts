import type { AdminQuestion } from "./admin-request.ts";

const json = { "Content-Type": "application/json" };

function answering(body: string, more: object = {}): object {
  return { handle: [{ handler: "static_response", body }], ...more };
}

/**
 * The config that most questions begin with. The servers have no ports, so that both programs can run this config at
 * the same time.
 */
const site = {
  apps: {
    http: {
      servers: {
        s: {
          routes: [
            answering("one", { "@id": "first" }),
            answering("two <&> \u2028 é", { match: [{ path: ["/a", "/b/*"], method: ["GET"] }] }),
            answering("three", { "@id": 7, group: "g", terminal: true }),
          ],
        },
        "a b": { routes: [] },
      },
    },
  },
};

const server = "/config/apps/http/servers/s";
const paths = [
  "/config/",
  "/config/apps",
  "/config/apps/",
  "/config/apps/http/servers",
  server,
  `${server}/routes`,
  `${server}/routes/`,
  `${server}/routes/0`,
  `${server}/routes/3`,
  `${server}/routes/9`,
  `${server}/routes/-1`,
  `${server}/routes/01`,
  `${server}/routes/+1`,
  `${server}/routes/x`,
  `${server}/routes/...`,
  `${server}/routes/0/...`,
  `${server}/routes/0/handle/0/body`,
  `${server}/routes/0/handle/0/body/x`,
  `${server}/routes/0/handle/0/body/x/y`,
  `${server}/routes/1/match/0/path`,
  `${server}/routes/1/match/0/path/1`,
  `${server}/routes/1/match/0/path/...`,
  `${server}/nothing`,
  `${server}/nothing/more`,
  `${server}/nothing/more/still`,
  "/config/nothing",
  "/config/apps/nothing/more",
  "/config/apps/http/servers/a%20b",
  "/config/apps/http/servers/a%2Fb",
  "/config/admin/listen",
  "/id/first",
  "/id/first/",
  "/id/first/handle/0/body",
  "/id/first/nothing",
  "/id/first/nothing/more",
  "/id/7/group",
  "/id/7/group/x",
  "/id/unknown",
  "/id/unknown/x",
  "/id/",
  "/id//first",
];

/** Bodies by the kind of value at the path; the first pattern that matches counts. */
function bodyFor(path: string): unknown {
  if (/\/path(?:\/|$)/.test(path)) {
    return path.endsWith("...") ? ["/x", "/y"] : "/x";
  }
  if (path.endsWith("...")) {
    return [answering("x"), answering("y")];
  }
  if (/\/routes\/?$|\/routes\/[^/]*$|\/id\/(?:first|7)\/?$/.test(path)) {
    return answering("new");
  }
  if (/\/s$/.test(path)) {
    return { routes: [] };
  }
  return /servers$|servers\/a/.test(path) ? {} : /\/body$|group$/.test(path) ? "new" : { x: 1 };
}

function ask(
  method: string,
  target: string,
  what = "",
  more: { body?: unknown; raw?: string; headers?: Record<string, string>; before?: unknown } = {},
): AdminQuestion {
  const body = more.raw ?? (more.body === undefined ? undefined : JSON.stringify(more.body));
  return {
    name: `${method} ${target}${what === "" ? "" : ` (${what})`}`,
    method,
    target,
    headers: more.headers ?? (body === undefined ? {} : json),
    ...(body === undefined ? {} : { body }),
    before: Object.hasOwn(more, "before") ? more.before : site,
  };
}

const everyMethodOnEveryPath = paths.flatMap((path) => [
  ask("GET", path),
  ...["POST", "PUT", "PATCH"].map((method) => ask(method, path, "", { body: bodyFor(path) })),
  ask("DELETE", path),
]);

const leaf = `${server}/routes/0/handle/0/body`;
const oddBodies = [
  ["no JSON", "{x"],
  ["cut off", '{"a":'],
  ["two values", "1 2"],
  ["a number", "1"],
  ["null", "null"],
  ["false", "false"],
  ["an array", "[]"],
  ["a wrong type", '{"handle": 1}'],
  ["an unknown field", '{"zzz": 1}'],
  ["an unknown handler", '{"handle":[{"handler":"zzz"}]}'],
  ["a handler without a name", '{"handle":[{}]}'],
  ["an unknown matcher", '{"match":[{"zzz":[]}]}'],
  ["a duplicate id", '{"@id":"first","handle":[]}'],
  ["an id of a wrong type", '{"@id":{},"handle":[]}'],
  ["a numeric id", '{"@id":1.50,"handle":[]}'],
  ["odd numbers", '{"handle":[{"handler":"vars","a":1e21,"b":1.0,"c":-0.0,"d":0.1}]}'],
  ["odd characters", '{"handle":[{"handler":"vars","<&>":"\\u2028\\u00e9\\ud83d\\ude00"}]}'],
  ["keys that stand twice", '{"group":"a","group":"b"}'],
  ["white space", ' { "group" : "a" } '],
].map(([what, raw]) => ask("POST", `${server}/routes`, what, { raw: raw ?? "" }));

const contentTypes = [
  "",
  "text/plain",
  "application/json; charset=utf-8",
  "x/json",
  "application/jsonx",
  "application/x",
].flatMap((type) =>
  ["POST", "PUT", "PATCH"].map((method) =>
    ask(method, method === "PUT" ? `${server}/routes/0` : leaf, `Content-Type '${type}'`, {
      raw: method === "PUT" ? "{}" : '"x"',
      headers: type === "" ? {} : { "Content-Type": type },
    }),
  ),
);

const conditions = [
  "*",
  "abc",
  '""',
  '"/config/"',
  '"/config/ 0000000000000000"',
  '"/config/ 0 0"',
  '"/config/apps/nothing/more 0"',
  `W/"${leaf} 0"`,
].map((value) =>
  ask("PATCH", leaf, `If-Match ${value}`, { raw: '"x"', headers: { ...json, "If-Match": value } }),
);

const otherMethods = ["HEAD", "OPTIONS", "TRACE", "PURGE"].flatMap((method) =>
  ["/config/", "/id/first", "/load", "/adapt", "/metrics", "/reverse_proxy/upstreams"].map((path) =>
    ask(method, path),
  ),
);
const wrongMethods = ["/load", "/adapt", "/stop"].flatMap((path) =>
  ["GET", "PUT", "DELETE"].map((method) => ask(method, path)),
);

const redirects = [
  "//config/",
  "/config",
  "/id",
  "/config//apps",
  "/config/./apps",
  "/config/../config/",
  "/config/apps/../",
  "/config?x=1",
  "/a/../b",
  "/config/%2e%2e/config/",
  "/config/apps%2F..%2F",
  "/config%2F%2Fapps",
  "/./",
].flatMap((path) => [ask("GET", path), ask("POST", path, "", { raw: "{}" })]);

const unknownPaths = [
  "/",
  "/foo",
  "/loadx",
  "/load/",
  "/configx",
  "/debug/",
  "/metrics/",
  "/pki",
  "/reverse_proxy/",
].map((path) => ask("GET", path));

const loads = [
  ["the same", site],
  ["an unknown field", { zzz: 1 }],
  ["a wrong type", { apps: [] }],
  ["an unknown app", { apps: { zzz: {} } }],
  ["an unknown field of an app", { apps: { http: { zzz: 1 } } }],
  ["a bad duration", { apps: { http: { grace_period: "zz" } } }],
  ["a bad listener", { apps: { http: { servers: { s: { listen: ["127.0.0.1:99999"] } } } } }],
  [
    "an unknown handler",
    { apps: { http: { servers: { s: { routes: [{ handle: [{ handler: "zzz" }] }] } } } } },
  ],
  ["null", null],
  ["an array", []],
  ["a number", 1],
  ["duplicate ids", { apps: { http: { "@id": "x", servers: { "@id": "x" } } } }],
].map(([what, body]) => ask("POST", "/load", String(what), { body }));
const oddLoads = [
  ask("POST", "/load", "nothing", { raw: "" }),
  ask("POST", "/load", "no JSON", { raw: "{" }),
  ...[
    "text/zzz",
    "zzz",
    ";",
    "application/",
    "a/b/c",
    "text/json",
    "application/json; charset=utf-8",
  ].flatMap((type) =>
    ["/load", "/adapt"].map((path) =>
      ask("POST", path, `Content-Type '${type}'`, { raw: '{"apps":{}}', headers: { "Content-Type": type } }),
    ),
  ),
  ask("POST", "/load", "must-revalidate", {
    body: site,
    headers: { ...json, "Cache-Control": "must-revalidate" },
  }),
  ask("POST", "/adapt", "order and characters", { raw: ' { "b" : 1, "a" : "<\\u00e9>" } ' }),
  ask("POST", "/adapt", "no JSON", { raw: "{" }),
  ask("POST", "/adapt", "nothing", { raw: "" }),
];

const unloaded = [
  ask("GET", "/config/", "nothing loaded", { before: null }),
  ask("GET", "/config/apps", "nothing loaded", { before: null }),
  ask("GET", "/config/apps/http", "nothing loaded", { before: null }),
  ask("DELETE", "/config/", "nothing loaded", { before: null }),
  ask("POST", "/config/", "nothing loaded", { before: null, body: { apps: {} } }),
  ask("PUT", "/config/", "nothing loaded", { before: null, body: { apps: {} } }),
  ask("PATCH", "/config/", "nothing loaded", { before: null, body: { apps: {} } }),
  ask("POST", "/config/apps/http/servers/x", "nothing loaded", { before: null, body: {} }),
  ask("PUT", "/config/apps/http/servers/x", "nothing loaded", { before: null, body: {} }),
  ask("POST", `${server}/routes`, "no routes yet", {
    before: { apps: { http: { servers: { s: {} } } } },
    body: answering("x"),
  }),
  ask("PUT", `${server}/routes/0`, "no routes yet", {
    before: { apps: { http: { servers: { s: {} } } } },
    body: answering("x"),
  }),
];

const browsers: [string, Record<string, string>][] = [
  ["websocket", { Connection: "Upgrade", Upgrade: "WebSocket" }],
  ["no-cors", { "Sec-Fetch-Mode": "no-cors" }],
  ["cors", { "Sec-Fetch-Mode": "cors" }],
  ["null origin", { Origin: "null" }],
  ["another origin", { Origin: "http://evil.example" }],
  ["another host", { Host: "evil.example" }],
  ["another port", { Host: "127.0.0.1:1" }],
  ["no host", { Host: "" }],
  ["a referer", { Referer: "http://evil.example/" }],
];
const access = browsers.flatMap(([what, headers]) => [
  ask("GET", "/config/", what, { headers }),
  ask("OPTIONS", "/config/", what, { headers }),
]);

const others = [
  ask("GET", "/reverse_proxy/upstreams"),
  ask("POST", "/reverse_proxy/upstreams", "", { raw: "{}" }),
  ask("POST", "/pki/ca/local", "", { raw: "{}" }),
  ask("GET", "/pki/ca/nope"),
  ask("GET", "/pki/ca/nope/certificates"),
  ask("GET", "/pki/x"),
  ask("GET", "/pki/ca/"),
];

/** Every question, in the order of asking. */
export const adminQuestions: readonly AdminQuestion[] = [
  ...everyMethodOnEveryPath,
  ...oddBodies,
  ...contentTypes,
  ...conditions,
  ...otherMethods,
  ...wrongMethods,
  ...redirects,
  ...unknownPaths,
  ...loads,
  ...oddLoads,
  ...unloaded,
  ...access,
  ...others,
];
