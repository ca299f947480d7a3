import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

/** A configuration that names a pipe where a file should be: the server must not wait for a writer of this pipe. */
let running: RunningServer;
let pipe = "";
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("up")), {}, 1);
  mkdirSync(join(running.configFolder, "d.pem"));
  pipe = join(running.configFolder, "pipe.pem");
  execFileSync("mkfifo", [pipe]);
});
afterAll(() => running.close());

const site = (...routes: unknown[]) => siteConfig(...routes) as { apps: { http: object } };
const tls = (more: object) => ({ apps: { ...site(respond("new")).apps, tls: more } });
const proxyTls = (more: object) =>
  site({
    handle: [
      {
        handler: "reverse_proxy",
        upstreams: [{ dial: "127.0.0.1:1" }],
        transport: { protocol: "http", tls: more },
      },
    ],
  });

describe("a posted configuration that names a pipe is refused", () => {
  test.each<[string, () => object]>([
    ["load_files", () => tls({ certificates: { load_files: [{ certificate: pipe, key: pipe }] } })],
    [
      "certificates of clients",
      () => {
        const config = siteConfig(respond("new")) as {
          apps: { http: { servers: { s: { tls_connection_policies?: object[] } } } };
        };
        config.apps.http.servers.s.tls_connection_policies = [
          { client_authentication: { ca: { provider: "file", pem_files: [pipe] } } },
        ];
        return config;
      },
    ],
    ["roots of an upstream", () => proxyTls({ root_ca_pem_files: [pipe] })],
    [
      "a key of an upstream",
      () => proxyTls({ client_certificate_file: pipe, client_certificate_key_file: pipe }),
    ],
    [
      "a browse template",
      () => site({ handle: [{ handler: "file_server", root: "/tmp", browse: { template_file: pipe } }] }),
    ],
    [
      "a log file",
      () => ({ logging: { logs: { default: { writer: { output: "file", filename: pipe } } } } }),
    ],
  ])("%s", async (_, config) => {
    const answer = await running.admin("POST", "/load", config());
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(pipe)]);
    expect((await ask(running.site)).text).toBe("up");
  });

  test.each<[string, () => string]>([
    ["import", () => `import ${pipe}`],
    ["import of a directory", () => `import ${join(running.configFolder, "d.pem")}`],
    ["import of a device", () => "import /dev/zero"],
    ["import of a kernel's file", () => "import /proc/self/environ"],
    ["import of a pattern", () => `import ${running.configFolder}/pipe*`],
    [
      "trusted_ca_cert_file",
      () => `https://a.test {\n tls {\n client_auth {\n trusted_ca_cert_file ${pipe}\n }\n }\n}`,
    ],
  ])("serverfile: %s", async (_, text) => {
    const answer = await ask(`${running.adminUrl}/adapt`, {
      method: "POST",
      headers: { "Content-Type": "text/caddyfile" },
      body: text(),
    });
    const path = /\/\S+/.exec(text().replace(/^https\S+/, ""))?.[0].replace("*", ".pem") ?? "";
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(path)]);
    expect(answer.text).toMatch(/is a named pipe|is a directory|is a device|is no file on a disk/);
  });
});

test("requests that name a pipe are answered at once", async () => {
  const root = running.configFolder;
  const config = site(
    { match: [{ path: ["/t"] }], handle: [{ handler: "static_response", body: `[{file.${pipe}}]` }] },
    {
      match: [{ path: ["/include"] }],
      handle: [
        { handler: "templates", file_root: root, mime_types: ["text/plain"] },
        {
          handler: "static_response",
          headers: { "Content-Type": ["text/plain"] },
          body: '{{include "pipe.pem"}}',
        },
      ],
    },
    { handle: [{ handler: "file_server", root }] },
  );
  expect((await running.admin("POST", "/load", config)).error).toBe("");
  const answers = await Promise.all(
    ["/t", "/include", ...Array.from({ length: 8 }, () => "/pipe.pem")].map((path) =>
      ask(`${running.site}${path}`),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 500, ...Array(8).fill(403)]);
  expect(answers[0]?.text).toBe("[]");
});
