import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { prefersOpenMetrics } from "./metrics.ts";

const prometheus =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";
const names = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);

test("a site can show the server's metrics", async () => {
  const server = await RunningServer.start(siteConfig({ handle: [{ handler: "metrics" }] }));
  try {
    const answer = await ask(server.site);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(names(answer.text)).toEqual(names((await server.admin("GET", "/metrics")).text));
    expect(names(answer.text)).not.toEqual([]);

    const open = await ask(server.site, { headers: { Accept: prometheus } });
    expect(open.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    const lines = open.text.split("\n");
    expect(lines.slice(-2)).toEqual(["# EOF", ""]);
    expect(lines.slice(0, -1).filter((line) => line === "" || line === "# EOF")).toEqual(["# EOF"]);
    // A counter is named without the ending that its values have.
    expect(open.text).toMatch(/^# TYPE (\w+(?<!_total)) counter\n\1_total[ {]/m);
    expect(open.text).toMatch(/^# TYPE caddy_\w+ /m);

    const off = siteConfig({ handle: [{ handler: "metrics", disable_openmetrics: true }] });
    await server.admin("POST", "/load", off);
    const plain = await ask(server.site, { headers: { Accept: prometheus } });
    expect(plain.headers["content-type"]).toMatch(/^text\/plain/);
  } finally {
    await server.close();
  }
});

test("a client that ended its side after its request gets its answer, with a body that nobody reads, too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "half-closed-"));
  const route = (path: string, handler: object) => ({ match: [{ path: [path] }], handle: [handler] });
  const server = await RunningServer.start(
    siteConfig(
      route("/metrics", { handler: "metrics" }),
      route("/", { handler: "file_server", root: folder, browse: {} }),
    ),
  );
  try {
    for (const path of ["/metrics", "/"]) {
      for (const body of ["", "Content-Length: 3\r\n\r\nabc"]) {
        const socket = connect(Number(new URL(server.site).port), "127.0.0.1");
        socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\n${body === "" ? "\r\n" : body}`);
        expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      }
    }
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});

test.each([
  ["", false],
  ["*/*", false],
  ["text/plain", false],
  [prometheus, true],
  ["application/openmetrics-text; version=0.0.1", true],
  ["application/openmetrics-text;q=0.3, text/plain;q=0.5", false],
  ["application/openmetrics-text;q=0", false],
])("Accept %j prefers OpenMetrics: %s", (accept, expected) => {
  expect(prefersOpenMetrics(accept)).toBe(expected);
});
