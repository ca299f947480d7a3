import { execFile, execFileSync } from "node:child_process";
import { createHash, createPublicKey } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { keyToPem, makeKey } from "certificates/material/key-pair";
import { makeCertificate } from "certificates/material/x509";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";

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
  let folder: string;
  let friend: { file: string; certificate: string };
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
    folder = await mkdtemp(join(tmpdir(), "http3-clients-"));
    friend = await writeCertificate("friend");
    const authentication = { mode: "verify_if_given", trusted_ca_certs: [friend.certificate] };
    const s = {
      listen: ["127.0.0.1:0"],
      protocols: ["h1", "h2", "h3"],
      tls_connection_policies: [{ default_sni: "localhost", client_authentication: authentication }],
      strict_sni_host: false,
      routes: [
        { match: [{ path: ["/whoami"] }], ...(respond("{http.request.tls.client.subject}") as object) },
        { match: [{ host: ["localhost"] }, {}], handle },
      ],
    };
    running = await RunningServer.start({ apps: { http: { servers: { s } } } }, {}, 2);
  });
  afterAll(async () => {
    await running.close();
    await rm(folder, { recursive: true });
    upstream.close();
  });

  /** A certificate that is its own authority, in a file with its key. */
  async function writeCertificate(name: string): Promise<{ file: string; certificate: string }> {
    const key = await makeKey("p256");
    const made = await makeCertificate({
      commonName: name,
      names: [],
      publicKey: createPublicKey(key),
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      issuerKey: key,
    });
    const file = join(folder, `${name}.pem`);
    await writeFile(file, made.toString() + keyToPem(key));
    return { file, certificate: made.raw.toString("base64") };
  }

  async function ask(requests: readonly string[], flags: string[] = []): Promise<Answer[]> {
    const call = args(flags, new URL(running.site).port);
    const { stdout } = await promisify(execFile)(program, [...call, ...requests], { timeout: 180_000 });
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
      ["-parallel"],
    );
    expect(answers.map(({ text }) => text)).toEqual(paths);
  });

  test.skipIf(isMissing)(
    "refuses certificates of clients that no trusted authority vouches for",
    async () => {
      const stranger = await writeCertificate("stranger");
      const asWhom = ({ file }: { file: string }) => ask(["GET /whoami"], ["-certificate", file]);
      expect(await asWhom(friend)).toMatchObject([{ status: 200, text: "CN=friend" }]);
      // One of the programs prints the error, the other one fails.
      const refused = await asWhom(stranger).catch(() => [{ status: 0 }]);
      expect(refused).toMatchObject([{ status: 0 }]);
    },
  );
});
