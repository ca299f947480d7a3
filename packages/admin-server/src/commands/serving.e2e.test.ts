import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { type ReceivedSpan, readSpans } from "server-core/testing/otlp-request";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

let folder: string;
const processes: ServerProcess[] = [];
const upstreams: UpstreamServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-serving-"));
});
afterEach(async () => {
  for (const { child, exit } of processes.splice(0)) {
    child.kill("SIGKILL");
    await exit;
  }
  await Promise.all(upstreams.splice(0).map((each) => each.kill()));
  await rm(folder, { recursive: true });
});

function start(args: readonly string[], environment: Record<string, string> = {}): ServerProcess {
  const process = new ServerProcess(args, { XDG_CONFIG_HOME: folder, ...environment }, folder);
  processes.push(process);
  return process;
}

async function upstream(listener: Parameters<typeof UpstreamServer.start>[0]): Promise<UpstreamServer> {
  const server = await UpstreamServer.start(listener);
  upstreams.push(server);
  return server;
}

describe("file-server", () => {
  test("serves a folder: lists, templates, what is compressed already; without an admin endpoint", async () => {
    await mkdir(join(folder, "public", "sub"), { recursive: true });
    await writeFile(join(folder, "public", "a.txt"), "plain");
    await writeFile(join(folder, "public", "a.txt.zst"), "squeezed");
    await writeFile(join(folder, "public", "sub", "index.html"), "{{upper `made`}}");
    const server = start([
      ...["file-server", "--root", "public", "--listen", "127.0.0.1:0", "--browse", "--templates"],
      ...["--precompressed", "zstd,gzip", "--access-log"],
    ]);
    const site = await server.site();
    expect((await ask(`${site}/`)).text).toContain("a.txt");
    expect((await ask(`${site}/sub/`)).text).toBe("MADE");
    const squeezed = await ask(`${site}/a.txt`, { headers: { "Accept-Encoding": "gzip, zstd" } });
    expect([squeezed.headers["content-encoding"], squeezed.text]).toEqual(["zstd", "squeezed"]);
    await server.logged(/^handled request$/);
    expect(await server.logged(/^serving the files of .*$/)).toContain("public on 127.0.0.1:0");
    expect(server.lines.filter((line) => line.startsWith("admin endpoint"))).toEqual([]);
    server.child.kill("SIGTERM");
    expect(await server.exit).toBe(0);
  });
});

describe("reverse-proxy", () => {
  test("passes requests on with the header fields of the options", async () => {
    const behind = await upstream((request, response) => {
      response.setHeader("Seen", `${request.headers.host} ${request.headers["x-up"]}`);
      response.end("behind");
    });
    const server = start([
      ...["reverse-proxy", "--from", "http://127.0.0.1:0", "--to", behind.address, "--change-host-header"],
      ...["--header-up", "x-up: 1, 2", "--header-down", "X-Down: 3"],
    ]);
    const site = (await server.site()).replace("//:", "//127.0.0.1:");
    const answer = await ask(`${site}/`);
    expect([answer.text, answer.headers.seen, answer.headers["x-down"]]).toEqual([
      "behind",
      `${behind.address} 1, 2`,
      "3",
    ]);
  });

  test("--trace sends a span of each request, and says where", async () => {
    const spans = new EventQueue<ReceivedSpan[]>();
    const collector = await upstream((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.end();
        spans.push(readSpans(Buffer.concat(chunks)));
      });
    });
    const behind = await upstream((request, response) => response.end(request.headers.traceparent));
    const server = start(["reverse-proxy", "--from", ":0", "--to", behind.address, "--trace"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${collector.address}`,
      OTEL_SERVICE_NAME: "traced-proxy",
      OTEL_BSP_SCHEDULE_DELAY: "10",
    });
    const site = (await server.site()).replace("//:", "//127.0.0.1:");
    expect(await server.logged(/^traces go to (.*)$/)).toBe(`http://${collector.address}/v1/traces`);
    const [, traceId] = (await ask(`${site}/seen`)).text.split("-");
    const received: ReceivedSpan[] = [];
    while (!received.some(({ kind }) => kind === "SERVER")) {
      received.push(...(await spans.next()));
    }
    expect(received.find(({ kind }) => kind === "SERVER")).toMatchObject({
      traceId,
      service: "traced-proxy",
    });
  });
});

describe("respond", () => {
  test("answers on each port of its own, and prints the addresses", async () => {
    const server = start([
      "respond",
      "--listen",
      "127.0.0.1:0",
      "-s",
      "201",
      "-H",
      "A: b",
      "{{.N}} {{.Address}}",
    ]);
    const site = await server.site();
    const answer = await ask(`${site}/`);
    expect([answer.status, answer.headers.a, answer.text]).toEqual([201, "b", "0 127.0.0.1:0"]);
    await server.logged(/ runs$/);
    await expect
      .poll(() => server.stdout, { timeout: 60_000 })
      .toBe(`Server address: ${new URL(site).host}\n`);
  });
});

test.each<[string[], string]>([
  [["reverse-proxy"], "reverse-proxy: --to is required"],
  [["reverse-proxy", "--to", ":1", "--from", "a/b"], "--from a/b: paths are not allowed"],
  [["reverse-proxy", "--to", "http://a:443"], "upstream address has conflicting scheme"],
  [["reverse-proxy", "--to", ":1", "--header-up", "x"], '--header-up: expected "Field: value", not "x"'],
  [["respond", "--body", "x", "--status", "200", "404"], '"404" is overridden by --status and --body'],
  [["respond", "--listen", ":1-5000"], "5000 ports are over the limit of 1000"],
  [["respond", "{{.N"], "the body is no template"],
  [["file-server", "--precompressed", "lz4"], 'expected some of br, gzip, zstd, not "lz4"'],
])("%j is refused", async (args, message) => {
  const server = start(args);
  expect(await server.exit).toBe(1);
  expect(server.stderr).toContain(message);
  expect(server.stderr.split("\n").length).toBe(2);
});
