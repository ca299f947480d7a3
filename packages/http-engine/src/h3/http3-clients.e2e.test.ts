import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";

const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");
const quicGo = join(peers, "http3-client");
const aioquicScript = join(import.meta.dirname, "../../../http-protocols/src/testing/aioquic-client.py");
const python = [join(peers, "aioquic", "bin", "python"), "python3"].find((program) => {
  try {
    execFileSync(program, ["-c", "import aioquic"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly text: string;
}

const clients = [
  {
    name: "quic-go",
    isMissing: !existsSync(quicGo),
    program: quicGo,
    args: (flags: string[], port: string) => [...flags, `https://localhost:${port}`],
  },
  {
    name: "aioquic",
    isMissing: python === undefined,
    program: python ?? "",
    args: (flags: string[], port: string) => [aioquicScript, ...flags, port],
  },
];

describe.for(clients)("HTTP/3 with $name (skipped without it)", ({ isMissing, program, args }) => {
  let running: RunningServer;
  const upstream = createServer((request, response) => {
    const { "content-length": length = "", "transfer-encoding": coding = "" } = request.headers;
    let bytes = 0;
    response.writeHead(200, { Trailer: "X-Length", "X-Framing": `${length},${coding}` });
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.pipe(response, { end: false });
    request.once("end", () => {
      response.addTrailers({ "X-Length": String(bytes) });
      response.end(bytes === 0 ? request.url : "");
    });
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const dial = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const handle = [{ handler: "reverse_proxy", upstreams: [{ dial }] }];
    const s = {
      listen: ["127.0.0.1:0"],
      protocols: ["h1", "h2", "h3"],
      tls_connection_policies: [{ default_sni: "localhost" }],
      routes: [{ match: [{ host: ["localhost"] }, {}], handle }],
    };
    running = await RunningServer.start({ apps: { http: { servers: { s } } } }, {}, 2);
  });
  afterAll(async () => {
    await running.close();
    upstream.close();
  });

  async function ask(requests: readonly string[], parallel = false): Promise<Answer[]> {
    const call = args(parallel ? ["-parallel"] : [], new URL(running.site).port);
    const { stdout } = await promisify(execFile)(program, [...call, ...requests], { timeout: 90_000 });
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  test.skipIf(isMissing)("brings bodies both ways through a proxy", async () => {
    const [got, sent] = await ask(["GET /hello", "POST /echo 300000"]);
    expect(got).toMatchObject({ status: 200, text: "/hello", headers: { "x-framing": "," } });
    const body = Buffer.alloc(300_000, "0123456789");
    const sha256 = createHash("sha256").update(body).digest("hex");
    expect(sent).toMatchObject({ status: 200, sha256, trailers: { "x-length": "300000" } });
  });

  test.skipIf(isMissing)("answers more requests at once than streams are allowed", async () => {
    const paths = Array.from({ length: 110 }, (_, index) => `/number/${index}`);
    const answers = await ask(
      paths.map((path) => `GET ${path}`),
      true,
    );
    expect(answers.map(({ text }) => text)).toEqual(paths);
  });
});
