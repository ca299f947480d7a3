import { expect, test } from "vitest";
import { readCommandLine, readOptions } from "../cli/read-options.ts";
import { fileServer, fileServerConfig } from "./file-server.ts";
import { respond, respondConfig } from "./respond.ts";
import { reverseProxy, reverseProxyConfig } from "./reverse-proxy.ts";

const limits = { read_header_timeout: 1e10, idle_timeout: 3e10, max_header_bytes: 10_240 };
const admin = { disabled: true, config: { persist: false } };

test("file-server: the least and the most that it can be told", () => {
  const config = (...args: string[]) => {
    const options = readOptions(fileServer, readCommandLine(fileServer, args), {});
    return fileServerConfig(options as unknown as Parameters<typeof fileServerConfig>[0]);
  };
  const encode = { handler: "encode", encodings: { zstd: {}, gzip: {} }, prefer: ["zstd", "gzip"] };
  expect(config()).toEqual({
    admin,
    apps: {
      http: {
        servers: {
          static: { listen: [":80"], ...limits, routes: [{ handle: [encode, { handler: "file_server" }] }] },
        },
      },
    },
  });
  expect(
    config(
      ...["--root", "/srv", "--domain", "a.example", "--browse", "--reveal-symlinks", "--file-limit", "7"],
      ...["--no-compress", "--templates", "-p", "br", "-p", "gzip", "--access-log", "--debug"],
    ),
  ).toEqual({
    admin,
    logging: { logs: { default: { level: "DEBUG" } } },
    apps: {
      http: {
        servers: {
          static: {
            listen: [":443"],
            ...limits,
            logs: {},
            routes: [
              {
                match: [{ host: ["a.example"] }],
                handle: [
                  { handler: "templates", file_root: "/srv" },
                  {
                    handler: "file_server",
                    root: "/srv",
                    precompressed: { br: {}, gzip: {} },
                    precompressed_order: ["br", "gzip"],
                    browse: { reveal_symlinks: true, file_limit: 7 },
                  },
                ],
              },
            ],
          },
        },
      },
    },
  });
});

function proxy(...args: string[]) {
  const options = readOptions(reverseProxy, readCommandLine(reverseProxy, args), {});
  return reverseProxyConfig(options as unknown as Parameters<typeof reverseProxyConfig>[0]);
}

test.each<[string[], string, string, object]>([
  [["--from", "localhost"], ":443", "https://localhost", {}],
  [["--from", ":8080"], ":8080", "http://:8080", { automatic_https: { disable: true } }],
  [["--from", "a.example:80"], ":80", "http://a.example", { automatic_https: { disable: true } }],
  [
    ["--from", "http://a.example:8080"],
    ":8080",
    "http://a.example:8080",
    { automatic_https: { disable: true } },
  ],
  [
    ["--from", "a.example:8443", "-r"],
    ":8443",
    "https://a.example:8443",
    { automatic_https: { disable_redirects: true } },
  ],
])("reverse-proxy %j", (args, listen, from, rest) => {
  const made = proxy("--to", ":9000", ...args);
  expect(made.from).toBe(from);
  expect(made.config.apps).toMatchObject({ http: { servers: { proxy: { listen: [listen], ...rest } } } });
});

test("reverse-proxy: upstreams, their transport, header fields, tracing", () => {
  const { config, dials } = proxy(
    ...["--from", "a.example", "--to", "https://b.example,:9001-9002", "--insecure", "--internal-certs"],
    ...["-H", "x-a: 1", "-d", "X-B: 2", "-c", "--trace"],
  );
  expect(dials).toEqual(["b.example:443", ":9001", ":9002"]);
  expect(config.apps).toEqual({
    http: {
      servers: {
        proxy: {
          listen: [":443"],
          routes: [
            {
              match: [{ host: ["a.example"] }],
              handle: [
                { handler: "tracing" },
                {
                  handler: "reverse_proxy",
                  transport: { protocol: "http", tls: { insecure_skip_verify: true } },
                  upstreams: [{ dial: "b.example:443" }, { dial: ":9001" }, { dial: ":9002" }],
                  headers: {
                    request: { set: { "X-A": ["1"], Host: ["{http.reverse_proxy.upstream.hostport}"] } },
                    response: { set: { "X-B": ["2"] } },
                  },
                },
              ],
            },
          ],
        },
      },
    },
    tls: { automation: { policies: [{ subjects: ["a.example"], issuers: [{ module: "internal" }] }] } },
  });
});

test("respond: a server for each port, the body a template", async () => {
  const options = readOptions(respond, readCommandLine(respond, ["-l", ":9001-9002"]), {});
  const { apps } = await respondConfig(
    options as unknown as Parameters<typeof respondConfig>[0],
    503,
    "{{.N}} {{.Port}} {{.Address}} {{`{{`}}",
  );
  const server = (port: number, body: string) => ({
    listen: [`:${port}`],
    ...limits,
    routes: [{ handle: [{ handler: "static_response", status_code: 503, body }] }],
    automatic_https: { disable_redirects: true },
  });
  expect(apps).toEqual({
    http: {
      servers: { static0: server(9001, "0 9001 :9001 {{"), static1: server(9002, "1 9002 :9002 {{") },
    },
  });
});
