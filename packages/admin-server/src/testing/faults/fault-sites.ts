import { fileURLToPath } from "node:url";
import { deadAddress } from "server-core/testing/upstream-server";

/** Modules of the user's own that fail in every way. */
export const saboteurFile = fileURLToPath(new URL("./saboteur.ts", import.meta.url));

type Handler = Readonly<Record<string, unknown>>;

const sabotage: Handler = { handler: "saboteur" };
/** All encodings (a test compares them with the list of modules), and one that fails. */
export const faultEncodings = { gzip: {}, br: {}, zstd: {}, saboteur: {} };
const encodeAll: Handler = {
  handler: "encode",
  encodings: faultEncodings,
  prefer: ["saboteur", "gzip"],
  minimum_length: 1,
};
const echo: Handler = { handler: "static_response", body: "{http.request.body}" };
const account = { username: "bob", password: "$2a$04$UauIHTGqUVQiDbeIGCzQTOzNdlL7BgGTIXYZAUS2H3Cr7KZT1jhBW" };

/** Upstreams of proxies under test. */
export interface FaultUpstreams {
  /** Breaks the protocol. */
  readonly bad: string;
}

/**
 * Chains of handlers by name; each ends in the saboteur or in an upstream that fails. The name of a chain for a
 * standard handler is the name of its module, so that a test finds missing handlers.
 */
export async function faultChains({ bad }: FaultUpstreams): Promise<Record<string, readonly Handler[]>> {
  const dead = await deadAddress();
  const proxy = (more: Handler = {}, dial = bad): Handler => ({
    handler: "reverse_proxy",
    upstreams: [{ dial }],
    ...more,
  });
  const copied = {
    handle_response: [
      {
        match: { status_code: [2] },
        routes: [
          { handle: [{ handler: "copy_response_headers", include: ["X"] }, { handler: "copy_response" }] },
        ],
      },
    ],
  };
  /** The routes that `forward_auth` writes: an accepted request continues. */
  const letsIn = {
    handle_response: [
      { match: { status_code: [2] }, routes: [{ handle: [{ handler: "vars", let: "in" }] }] },
    ],
  };
  return {
    authentication: [
      { handler: "authentication", providers: { http_basic: { accounts: [account] } } },
      sabotage,
    ],
    cache: [{ handler: "cache", max_bytes: 1_000_000, default_ttl: "1s" }, sabotage],
    cgi: [encodeAll, { handler: "cgi", executable: "/nowhere/program" }],
    encode: [encodeAll, sabotage],
    error: [{ handler: "error", status_code: 418, error: "as asked" }, sabotage],
    file_server: [{ handler: "file_server", root: "/nowhere", pass_thru: true }, sabotage],
    headers: [
      { handler: "headers", response: { deferred: true, set: { "X-A": ["{http.request.uri}"] } } },
      sabotage,
    ],
    hmac: [{ handler: "hmac", algorithm: "sha256", secret: "secret", max_size: 1_000 }, sabotage],
    intercept: [
      {
        handler: "intercept",
        handle_response: [{ match: { status_code: [2] }, routes: [{ handle: [sabotage] }] }],
      },
      sabotage,
    ],
    invoke: [{ handler: "invoke", name: "sabotage" }],
    log_append: [{ handler: "log_append", key: "k", value: "{http.request.uri}" }, sabotage],
    map: [
      {
        handler: "map",
        source: "{http.request.uri.path}",
        destinations: ["{a}"],
        mappings: [{ input: "x", outputs: ["y"] }],
      },
      sabotage,
    ],
    metrics: [{ handler: "metrics" }],
    oidc: [
      { handler: "oidc", issuer: `http://${dead}`, client_id: "ui", client_secret: "a-secret" },
      sabotage,
    ],
    push: [{ handler: "push", resources: [{ target: "/encode?at=before&way=throw" }] }, sabotage],
    rate_limit: [
      { handler: "rate_limit", rate_limits: { all: { key: "all", window: "1s", max_events: 1_000_000 } } },
      sabotage,
    ],
    postauth2fa: [
      {
        handler: "postauth2fa",
        username_placeholder: "ann",
        secrets: { ann: "JBSWY3DPEHPK3PXP" },
        sign_key: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
      },
    ],
    replace_response: [
      {
        handler: "replace_response",
        replacements: [{ search_regexp: "(a)", replace: "$1{http.request.host}" }],
      },
      sabotage,
    ],
    replace: [
      { handler: "replace", replacements: [{ search: "a", replace: "{http.request.host}" }] },
      sabotage,
    ],
    request_body: [{ handler: "request_body", max_size: 1_000 }, sabotage],
    reverse_proxy: [proxy()],
    rewrite: [{ handler: "rewrite", method: "GET" }, sabotage],
    signed_url: [{ handler: "signed_url", secret: "secret" }, sabotage],
    static_response: [echo],
    subroute: [
      { handler: "subroute", routes: [{ handle: [sabotage] }], errors: { routes: [{ handle: [sabotage] }] } },
    ],
    templates: [{ handler: "templates" }, sabotage],
    timeouts: [{ handler: "timeouts", read_timeout: "150ms", write_timeout: "300ms" }, sabotage],
    tracing: [{ handler: "tracing", span: "faults" }, sabotage],
    vars: [{ handler: "vars", a: "b" }, sabotage],
    webauthn: [
      {
        handler: "webauthn",
        username_placeholder: "ann",
        rp_id: "localhost",
        credentials_path: "/nowhere",
        sign_key: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
      },
    ],
    webdav: [encodeAll, { handler: "webdav", root: "/nowhere" }],

    // Chains of several
    "body-limit-proxy": [{ handler: "request_body", max_size: 4 }, proxy()],
    "body-limit-fastcgi": [
      { handler: "request_body", max_size: 4 },
      proxy({ transport: { protocol: "fastcgi" } }),
    ],
    "body-limit-auth": [
      { handler: "request_body", max_size: 4 },
      proxy({ rewrite: { method: "GET" }, ...letsIn }),
      proxy(),
    ],
    "body-limit-error-page": [{ handler: "request_body", max_size: 4 }, echo],
    "body-pace-proxy": [{ handler: "timeouts", read_timeout: "100ms" }, proxy()],
    "dead-upstream": [{ handler: "request_body", max_size: 1_000 }, proxy({}, dead)],
    "encode-proxy": [encodeAll, proxy()],
    "paced-proxy": [proxy({ flush_interval: "5ms" })],
    "buffering-proxy": [proxy({ request_buffers: 2, response_buffers: 10 })],
    "copying-proxy": [encodeAll, proxy(copied)],
    "retrying-proxy": [proxy({ load_balancing: { retries: 2, try_interval: "1ms" } })],
    "fastcgi-proxy": [proxy({ transport: { protocol: "fastcgi" } })],
    "h2c-proxy": [proxy({ transport: { protocol: "http", versions: ["h2c"] } })],
    "own-transport": [encodeAll, proxy({ transport: { protocol: "saboteur" } }, dead)],
    everything: [
      { handler: "timeouts", read_timeout: "150ms", write_timeout: "300ms" },
      { handler: "request_body", max_size: 1_000 },
      { handler: "headers", response: { deferred: true, set: { "Content-Length": ["3"] } } },
      encodeAll,
      { handler: "templates" },
      { handler: "cache", max_bytes: 1_000_000, default_ttl: "1s" },
      sabotage,
    ],
  };
}

/** A config whose site has a path for each chain; its access log goes to a writer that fails. */
export function faultConfig(chains: Readonly<Record<string, readonly Handler[]>>, listen: string): unknown {
  const routes = Object.entries(chains).map(([name, handle]) => ({
    match: [{ path: [`/${name}`] }],
    handle,
    terminal: true,
  }));
  const bad = { match: [{ path: ["/matcher"], saboteur: {} }], handle: [sabotage], terminal: true };
  const ka = {
    match: [{ path: ["/ka"] }],
    handle: [{ handler: "static_response", body: "ka" }],
    terminal: true,
  };
  const server = {
    listen: [listen],
    protocols: ["h1", "h2c"],
    automatic_https: { disable: true },
    named_routes: { sabotage: { handle: [sabotage] } },
    errors: {
      routes: [
        {
          match: [{ path: ["/subroute", "/encode", "/body-limit-error-page"] }],
          handle: [encodeAll, sabotage],
        },
      ],
    },
    routes: [ka, ...routes, bad],
    logs: {},
  };
  return {
    modules: [saboteurFile],
    logging: { logs: { access: { writer: { output: "saboteur" }, include: ["http.log.access"] } } },
    apps: { http: { servers: { s: server } } },
  };
}
