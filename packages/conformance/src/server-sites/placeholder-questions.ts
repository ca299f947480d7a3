import type { SiteCase, SiteRequest } from "./site-case.ts";

/** Placeholder names after `http.request.` that must have equal values on both servers. */
const ofRequests = [
  ...["body", "body_base64", "cookie.c", "cookie.none", "header.X-A", "header.x-a", "header.None", "host"],
  ...["host.labels.0", "host.labels.1", "host.labels.9", "host.labels.x", "hostport", "port", "local.host"],
  ...["method", "orig_method", "orig_uri", "orig_uri.path", "orig_uri.path.0", "orig_uri.path.9"],
  ...["orig_uri.path.dir", "orig_uri.path.file", "orig_uri.query", "orig_uri.prefixed_query"],
  ...[
    "proto",
    "proto_name",
    "remote.host",
    "remote.host/8",
    "remote.host/99",
    "scheme",
    "uri",
    "uri_escaped",
  ],
  ...["uri.path", "uri.path_escaped", "uri.path.0", "uri.path.1", "uri.path.9", "uri.path.-1", "uri.path.x"],
  ...["uri.path.dir", "uri.path.file", "uri.path.file.base", "uri.path.file.ext"],
  ...["uri.query", "uri.query_escaped", "uri.query.q", "uri.query.none", "uri.prefixed_query"],
  ...["tls.version", "tls.cipher_suite", "tls.resumed", "tls.proto", "tls.proto_mutual", "tls.server_name"],
  ...["tls.ech", "tls.client.fingerprint", "tls.client.public_key", "tls.client.public_key_sha256"],
  ...["tls.client.issuer", "tls.client.serial", "tls.client.subject", "tls.client.subject.common_name"],
  ...["tls.client.certificate_pem", "tls.client.certificate_der_base64", "tls.client.san.dns_names"],
  ...["tls.client.san.dns_names.0", "tls.client.san.emails", "tls.client.san.ips", "tls.client.san.uris"],
  ...["nothing", "uri.nothing", "tls.nothing", ""],
].map((name) => `http.request.${name}`);

const others = [
  ...["system.hostname", "system.slash", "system.os", "system.arch", "system.nothing", "time.nothing"],
  ...["env.PATH", "env.NO_SUCH_VARIABLE", "file.ROOT/a.txt", "file.ROOT/style.css.none", "nothing.known"],
  ...["http.vars.v", "http.vars.none", "http.vars.client_ip", "http.regexp.p.0", "http.regexp.p.1"],
  ...["http.regexp.p.name", "http.regexp.p.9", "http.regexp.none.1", "http.regexp.0"],
  ...["http.response.header.X-Set", "http.response.header.None", "http.response.status"],
  ...[
    "http.error",
    "http.error.status_code",
    "http.error.status_text",
    "http.error.message",
    "http.error.id",
  ],
  ...["http.error.trace", "http.matchers.file.relative", "http.matchers.file.type", "http.auth.user.id"],
  ...["http.intercept.status_code", "http.intercept.header.X", "http.url_pattern.x", "http.shutting_down"],
  ...["http.time_until_shutdown", "http.reverse_proxy.status_code", "http.reverse_proxy.upstream.address"],
  ...["http.nothing", "pki.ca.name"],
];

/** Placeholders whose values differ in every answer, with a pattern that each value must match. */
const changing: Readonly<Record<string, string>> = {
  "http.request.uuid": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  "http.request.duration": "^\\d+(\\.\\d+)?(ns|µs|ms|s)$",
  "http.request.duration_ms": "^\\d+(\\.\\d+)?$",
  "http.request.local": "^127\\.0\\.0\\.1:\\d+$",
  "http.request.local.port": "^\\d+$",
  "http.request.remote": "^127\\.0\\.0\\.1:\\d+$",
  "http.request.remote.port": "^\\d+$",
  "system.wd": "^/",
  "time.now": "^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+ [+-]\\d{4} \\w+ m=\\+\\d+\\.\\d+$",
  "time.now.http": "^\\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT$",
  "time.now.unix": "^\\d{10}$",
  "time.now.unix_ms": "^\\d{13}$",
  "time.now.common_log": "^\\d\\d/\\w{3}/\\d{4}:\\d\\d:\\d\\d:\\d\\d [+-]\\d{4}$",
  "time.now.year": "^\\d{4}$",
};

const requests: readonly (SiteRequest | string)[] = [
  { target: "/a/b.tar.gz?q=1&q=2&r=%20x", headers: { "X-A": "one", Cookie: "c=v; d=w" } },
  { target: "/", headers: { "X-A": "" } },
  { target: "/d%20e/%C3%A9/?", headers: {} },
  { method: "POST", target: "/p", body: "the body", headers: { "Content-Length": "8" } },
];

/** Each placeholder is in a separate header, so that a difference shows its name. */
const fields = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name, index) => [`P${index}-${name.toLowerCase().replaceAll(/\W+/g, "-")}`, [`[{${name}}]`]]),
  );

const shown = (names: readonly string[]) => ({
  handler: "static_response",
  headers: fields(names),
  body: "shown",
});

/** Every placeholder, in requests where it has a value and in requests where it has none. */
export const placeholderCases: readonly SiteCase[] = [
  { name: "placeholders of requests", routes: [{ handle: [shown(ofRequests)] }], requests },
  {
    name: "placeholders of a rewritten request",
    routes: [{ handle: [{ handler: "rewrite", method: "put", uri: "/n/m.x?z=1" }, shown(ofRequests)] }],
    requests: requests.slice(0, 1),
  },
  {
    name: "other placeholders",
    routes: [
      {
        handle: [
          { handler: "vars", v: "set {http.request.method}" },
          { handler: "headers", response: { set: { "X-Set": ["s"] } } },
        ],
      },
      { match: [{ path_regexp: { name: "p", pattern: "^/(?P<name>.)" } }], handle: [shown(others)] },
      { handle: [shown(others)] },
    ],
    requests: requests.slice(0, 2),
  },
  ...Object.entries(changing).map(
    ([name, pattern]): SiteCase => ({
      name: `placeholder ${name}`,
      routes: [
        {
          match: [{ vars_regexp: { [`{${name}}`]: { pattern } } }],
          handle: [{ handler: "static_response", body: "as it should be" }],
        },
        { handle: [{ handler: "static_response", body: "otherwise" }] },
      ],
      requests: ["/"],
    }),
  ),
];
