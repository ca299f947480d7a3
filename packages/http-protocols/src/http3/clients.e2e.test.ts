import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { randomOf } from "wire/testing";
import { type Http3TestServer, startHttp3TestServer } from "../testing/http3-test-server.ts";
import { startLossyRelay } from "../testing/lossy-relay.ts";

const run = promisify(execFile);
const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");
const quicGo = join(peers, "http3-client");
const aioquicScript = join(import.meta.dirname, "..", "testing", "aioquic-client.py");
const aioquicPython = [join(peers, "aioquic", "bin", "python"), "python3"].find((python) => {
  try {
    execFileSync(python, ["-c", "import aioquic"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  readonly bytes: number;
  readonly sha256: string;
  readonly text: string;
  readonly resumed?: boolean;
  readonly inserted?: number;
  readonly acknowledged?: number;
}

type Ask = (port: number, requests: readonly string[], parallel?: boolean) => Promise<Answer[]>;

const ask =
  (program: string, before: readonly string[], target: (port: number) => string): Ask =>
  async (port, requests, parallel = false) => {
    const args = [...before, ...(parallel ? ["-parallel"] : []), target(port), ...requests];
    const { stdout } = await run(program, args, { timeout: 180_000 });
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };

const clients = [
  {
    name: "quic-go",
    missing: !existsSync(quicGo),
    ask: ask(quicGo, [], (port) => `https://127.0.0.1:${port}`),
  },
  {
    name: "aioquic",
    missing: aioquicPython === undefined,
    ask: ask(aioquicPython ?? "", [aioquicScript], String),
  },
];

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const sentBody = (length: number) => Buffer.alloc(length, "0123456789");

let running: Http3TestServer | undefined;

afterEach(async () => {
  const { server, faults } = running ?? {};
  running = undefined;
  await server?.close();
  expect(faults ?? []).toEqual([]);
});

async function start(retryFrom?: number): Promise<{ server: Http3TestServer; port: number }> {
  running = await startHttp3TestServer(retryFrom);
  return { server: running, port: running.server.port };
}

describe.for(clients)("HTTP/3 with $name (skipped without it)", ({ name, missing, ask: request }) => {
  test.skipIf(missing)("answers GET and POST over one connection", async () => {
    const { server, port } = await start();
    const updates = name === "aioquic" ? ["UPDATE"] : [];
    const [hello, echo, large, after] = await request(port, [
      "GET /hello",
      "POST /echo 300000",
      "GET /bytes/1000000",
      ...updates,
      "GET /after",
    ]);
    expect(hello).toMatchObject({ status: 200, headers: { "x-protocol": "h3" } });
    expect(hello?.text).toMatch(/^GET (localhost|127\.0\.0\.1:\d+) \/hello$/);
    expect(echo).toMatchObject({
      status: 200,
      bytes: 300_000,
      sha256: sha256(sentBody(300_000)),
      trailers: { "x-length": "300000" },
    });
    expect(large).toMatchObject({ status: 200, bytes: 1_000_000 });
    expect(after?.text).toMatch(/ \/after$/);
    expect(server.server.endpoint.counts).toMatchObject({ retries: 0, resets: 0 });
  });

  test.skipIf(missing)("answers more requests at once than streams are allowed", async () => {
    const { port } = await start();
    const paths = Array.from({ length: 110 }, (_, index) => `/number/${index}`);
    const answers = await request(
      port,
      paths.map((path) => `GET ${path}`),
      true,
    );
    expect(answers.map(({ text }) => text.replace(/^GET \S+ /, ""))).toEqual(paths);
  });

  test.skipIf(missing)("takes a client that showed its address after a Retry", async () => {
    const { server, port } = await start(0);
    const [answer] = await request(port, ["GET /hello"]);
    expect(answer).toMatchObject({ status: 200 });
    // A ClientHello with post-quantum keys arrives in two datagrams, and each of them gets a Retry.
    expect([1, 2]).toContain(server.server.endpoint.counts.retries);
  });

  test.skipIf(missing)("resumes a session by its ticket, and returns by its token", async () => {
    const { server, port } = await start();
    const answers = await request(port, ["GET /one", "RESUME", "GET /two", "GET /three"]);
    expect(answers.map(({ text, resumed }) => [text.replace(/^GET \S+ /, ""), resumed])).toEqual([
      ["/one", false],
      ["/two", true],
      ["/three", true],
    ]);
    expect(server.server.endpoint.counts.returning).toBe(1);
  });

  test.skipIf(missing || name !== "aioquic")("inserts repeated fields into the client's table", async () => {
    const { port } = await start();
    const answers = await request(
      port,
      Array.from({ length: 6 }, () => "GET /hello"),
    );
    expect(new Set(answers.map(({ headers }) => JSON.stringify(headers))).size).toBe(1);
    const [first, , third, last] = [0, 1, 2, 5].map((index) => answers[index]);
    const insertedAtFirst = first?.inserted ?? 0;
    expect(third?.inserted).toBeGreaterThan(insertedAtFirst);
    expect(last?.inserted).toBe(third?.inserted);
    expect(last?.acknowledged).toBeGreaterThan(third?.acknowledged ?? 0);
  });

  test.skipIf(missing)("brings bodies through a network that loses datagrams", async () => {
    const { port } = await start();
    const random = randomOf(5);
    const relay = await startLossyRelay(port, () => random(100) < 5);
    try {
      const [down, up] = await request(relay.port, ["GET /bytes/500000", "POST /echo 200000"]);
      expect(down).toMatchObject({ status: 200, bytes: 500_000 });
      expect(up).toMatchObject({ status: 200, sha256: sha256(sentBody(200_000)) });
      expect(relay.dropped).toBeGreaterThan(10);
    } finally {
      relay.close();
    }
  });
});
