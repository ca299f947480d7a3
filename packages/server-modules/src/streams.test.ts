import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer, type Server as NetServer } from "node:net";
import { hashSync } from "bcryptjs";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packagedIds } from "../../admin-server/src/testing/packaged-ids.ts";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import {
  encodeRecords,
  RecordReader,
  recordType,
} from "./handlers/reverse-proxy/transport/fastcgi/records.ts";
import { standardModules } from "./standard.ts";
import { askDecoded } from "./testing/decoded-pieces.ts";

/** Every handler that runs what comes after it, with a config under which it has something to do. */
const around: Record<string, object> = {
  authentication: {
    providers: { http_basic: { accounts: [{ username: "ann", password: hashSync("pass", 4) }] } },
  },
  cache: { default_ttl: "1h" },
  encode: { encodings: { gzip: {}, zstd: {}, br: {} } },
  file_server: { root: "/nowhere", pass_thru: true },
  headers: { response: { deferred: true, set: { "X-Late": ["1"] } } },
  hmac: { algorithm: "sha256", secret: "secret" },
  intercept: {
    handle_response: [
      { match: { status_code: [5] }, routes: [{ handle: [{ handler: "static_response", body: "failed" }] }] },
    ],
  },
  invoke: { name: "nothing" },
  log_append: { key: "a", value: "b" },
  map: { source: "{http.request.uri}", destinations: ["{m}"], defaults: ["x"] },
  push: { resources: [] },
  rate_limit: { rate_limits: { z: { window: "1s", max_events: 1_000_000 } } },
  replace: { replacements: [{ search: "never in a body", replace: "x" }] },
  replace_response: { replacements: [{ search: "never in a body", replace: "x" }] },
  request_body: { max_size: 1000 },
  rewrite: { strip_path_prefix: "/none" },
  static_response: { status_code: 103, headers: { Link: ["</a.css>; rel=preload"] } },
  subroute: { routes: [{ handle: [{ handler: "vars", a: "b" }] }] },
  templates: { mime_types: ["text/html"] },
  timeouts: { write_timeout: "1m" },
  tracing: {},
  vars: { a: "b" },
};

/** Handlers that answer themselves, with what runs in their place here, if they can stream. */
const answering: Record<string, object | undefined> = {
  acme_server: undefined,
  appsec: undefined, // passes on without a filter, or refuses
  cgi: undefined, // its own test: pieces of a program
  copy_response: undefined, // below: handle_response
  copy_response_headers: undefined,
  crowdsec: undefined, // passes on without a filter, or refuses
  error: undefined,
  metrics: undefined,
  signed_url: undefined, // passes on without a filter, or answers itself
  oidc: undefined, // passes on without a filter, or sends to the login
  postauth2fa: undefined, // passes on without a filter, or asks for a code
  reverse_proxy: {},
  webauthn: undefined, // passes on without a filter, or asks for a key
  webdav: undefined, // answers with files, or with listings that it does not wait in
};

const copied = {
  handle_response: [
    {
      routes: [
        {
          handle: [
            { handler: "headers", response: { set: { "X-Mine": ["1"] } } },
            { handler: "copy_response" },
          ],
        },
      ],
    },
  ],
};

/** More ways for a response to go, by name. */
const chains: Record<string, { readonly handlers?: object[]; readonly proxy?: object }> = {
  "an upstream of HTTP/2": {},
  "an upstream of FastCGI": {},
  ...Object.fromEntries(
    Object.entries(around).map(([handler, config]) => [handler, { handlers: [{ handler, ...config }] }]),
  ),
  reverse_proxy: {},
  flush_interval: { proxy: { flush_interval: -1 } },
  copy_response: { proxy: copied },
  "intercept that sets a field": {
    handlers: [
      {
        handler: "intercept",
        handle_response: [
          { routes: [{ handle: [{ handler: "headers", response: { set: { "X-Mine": ["1"] } } }] }] },
        ],
      },
    ],
  },
  "all of them": {
    handlers: Object.entries(around)
      .filter(([handler]) => handler !== "static_response" && handler !== "encode")
      .map(([handler, config]) => ({ handler, ...config })),
  },
};

const types = ["text/event-stream", "application/json", "text/plain"];

/** The ways in which an upstream sends a body. */
interface Source {
  write(text: string): unknown;
  end(): unknown;
}

/** Resolves when an upstream has the request, and has sent the head of its response. */
let send: PromiseWithResolvers<Source>;
let upstream: UpstreamServer;
let running: RunningServer;

/** One that speaks HTTP/2 without TLS. */
const http2Upstream = createHttp2Server().on("stream", (stream: ServerHttp2Stream, headers) => {
  stream.on("error", () => {});
  stream.respond({ ":status": 200, "content-type": String(headers["x-type"]) });
  send.resolve(stream);
});

const fastcgiUpstream = createServer((socket) => {
  socket.on("error", () => {});
  let type = "";
  const reader = new RecordReader((kind, content) => {
    if (kind === recordType.params && content.length > 0) {
      type = types.find((each) => content.includes(each)) ?? "";
    } else if (kind === recordType.stdin && content.length === 0) {
      const write = (text: string) => socket.write(encodeRecords(recordType.stdout, Buffer.from(text)));
      write(`Content-Type: ${type}\r\n\r\n`);
      send.resolve({
        write,
        end: () => socket.end(encodeRecords(recordType.endRequest, Buffer.alloc(8))),
      });
    }
  });
  socket.on("data", (bytes: Buffer) => reader.push(bytes));
});

async function listen(server: NetServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  upstream = await UpstreamServer.start((request, response) => {
    response.writeHead(200, { "Content-Type": String(request.headers["x-type"]) });
    response.flushHeaders();
    send.resolve(response);
  });
  const fastcgi = { protocol: "fastcgi", root: "/srv" };
  chains["an upstream of HTTP/2"] = {
    proxy: {
      upstreams: [{ dial: await listen(http2Upstream) }],
      transport: { protocol: "http", versions: ["h2c"] },
    },
  };
  chains["an upstream of FastCGI"] = {
    proxy: { upstreams: [{ dial: await listen(fastcgiUpstream) }], transport: fastcgi },
  };
  const routes = Object.entries(chains).map(([name, { handlers = [], proxy }], index) => ({
    match: [{ path: [`/${index}`] }],
    terminal: true,
    handle: [
      { handler: "encode", encodings: { gzip: {}, zstd: {}, br: {} } },
      ...handlers,
      { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }], ...proxy },
    ],
    "@id": name.replaceAll(" ", "-"),
  }));
  const s = {
    listen: ["127.0.0.1:0"],
    protocols: ["h1", "h2", "h2c"],
    routes,
    named_routes: { nothing: { handle: [{ handler: "vars", c: "d" }] } },
  };
  running = await RunningServer.start({ apps: { http: { servers: { s } } } });
});
afterAll(async () => {
  await upstream.kill();
  fastcgiUpstream.close();
  http2Upstream.close();
  await running.close();
});

test("every handler of the list is here", () => {
  const names = [...standardModules.map(({ id }) => id), ...packagedIds]
    .filter((id) => id.startsWith("http.handlers."))
    .map((id) => id.slice("http.handlers.".length));
  expect([...Object.keys(around), ...Object.keys(answering)].sort()).toEqual(names.sort());
});

describe.each(Object.keys(chains))("through %s", (name) => {
  const target = `/${Object.keys(chains).indexOf(name)}`;
  const codings = ["gzip", "zstd", "br", "identity"];
  const combinations = codings.flatMap((coding, index) =>
    ([1, 2] as const).map((version) => ({
      coding,
      version,
      // Each type with each coding somewhere; all of them in each chain.
      type: types[(index + version + target.length) % types.length] ?? "",
    })),
  );

  test.each(combinations)("$type in $coding over HTTP/$version leaves piece by piece", async (how) => {
    send = Promise.withResolvers();
    const asked = askDecoded(
      running.site + target,
      {
        "Accept-Encoding": how.coding,
        "X-Type": how.type,
        "Cache-Control": "no-cache",
        Authorization: `Basic ${btoa("ann:pass")}`,
      },
      how.version,
    );
    const response = await Promise.race([
      send.promise,
      asked.then(({ status }) => Promise.reject(new Error(`${status} in place of the stream`))),
    ]);
    let text = "";
    for (let index = 0; index < 4; index++) {
      // Little of it can be made shorter: the first piece alone decides that it is coded.
      const piece = `data: ${createHash("shake256", { outputLength: 400 }).update(`${index}`).digest("hex")}\n\n`;
      text += piece;
      response.write(piece);
      const { arrived } = await asked.then((answer) => ({ arrived: answer.arrived(text) }));
      await arrived; // the next piece is not sent before this one is there
    }
    response.end();
    const answer = await asked;
    expect(await answer.whole).toBe(text);
    expect(answer.headers["content-encoding"] ?? "identity").toBe(how.coding);
  });
});
