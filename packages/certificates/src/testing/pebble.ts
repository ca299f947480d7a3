import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "server-core/testing/free-ports";
import { Agent, request } from "undici";
import { selfSigned } from "./self-signed.ts";

/**
 * The environment names the folder with the programs of the public peers. Without this folder, tests that need these
 * programs are skipped.
 */
const peers = process.env.PEERS ?? "";

export const hasPebble =
  peers !== "" && existsSync(join(peers, "pebble")) && existsSync(join(peers, "pebble-challtestsrv"));

async function started(child: ChildProcess, pattern: RegExp): Promise<void> {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += String(chunk);
      child.emit("text");
    });
  }
  while (!pattern.test(text)) {
    await Promise.race([
      once(child, "text"),
      once(child, "exit").then(() => {
        throw new Error(`ended: ${text}`);
      }),
    ]);
  }
}

/** For tests: a CA that speaks ACME (Let's Encrypt's pebble), with a DNS server whose records the tests set. */
export class Pebble {
  readonly httpPort: number;
  readonly tlsPort: number;
  readonly directory: string;
  /** URL by which records are set. */
  readonly dnsManagement: string;
  /** Address of the DNS server. */
  readonly dns: string;
  /** PEM file of the root of the CA's own TLS certificate. */
  readonly rootFile: string;
  readonly #children: ChildProcess[] = [];
  readonly #management: string;

  private constructor(ports: readonly number[], rootFile: string) {
    const [api = 0, management = 0, dns = 0, dnsManagement = 0, http = 0, tls = 0] = ports;
    this.directory = `https://127.0.0.1:${api}/dir`;
    this.#management = `https://127.0.0.1:${management}`;
    this.dns = `127.0.0.1:${dns}`;
    this.dnsManagement = `http://127.0.0.1:${dnsManagement}`;
    this.httpPort = http;
    this.tlsPort = tls;
    this.rootFile = rootFile;
  }

  /** @param nameServer the DNS server that the CA uses; undefined: pebble's own DNS server */
  static async start(folder: string, more: object = {}, nameServer?: string): Promise<Pebble> {
    const ports = await freePorts(6);
    const { cert, key } = await selfSigned("pebble", { names: ["127.0.0.1", "localhost"] });
    const [root, keyFile, config] = ["root.pem", "pebble.key", "pebble.json"].map((name) =>
      join(folder, name),
    );
    await writeFile(root ?? "", cert);
    await writeFile(keyFile ?? "", key);
    const pebble = new Pebble(ports, root ?? "");
    const settings = {
      listenAddress: new URL(pebble.directory).host,
      managementListenAddress: new URL(pebble.#management).host,
      certificate: root,
      privateKey: keyFile,
      httpPort: pebble.httpPort,
      tlsPort: pebble.tlsPort,
      domainBlocklist: ["blocked.example.test"],
      retryAfter: { authz: 1, order: 1 },
      keyAlgorithm: "ecdsa",
      profiles: { default: { description: "usual", validityPeriod: 7_776_000 } },
      ...more,
    };
    await writeFile(config ?? "", JSON.stringify({ pebble: settings }));
    const [dnsManagement] = [new URL(pebble.dnsManagement).host];
    const dns = spawn(
      join(peers, "pebble-challtestsrv"),
      [
        "-defaultIPv4",
        "127.0.0.1",
        "-defaultIPv6",
        "",
        "-dnsserver",
        pebble.dns,
        "-management",
        dnsManagement,
      ].concat(["-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", ""]),
    );
    pebble.#children.push(dns);
    await started(dns, /management server|Starting management/i);
    const authority = spawn(
      join(peers, "pebble"),
      ["-config", config ?? "", "-dnsserver", nameServer ?? pebble.dns],
      {
        env: { PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "15", PATH: process.env.PATH ?? "" },
      },
    );
    pebble.#children.push(authority);
    await started(authority, /Listening on|ACME directory available/i);
    return pebble;
  }

  /** From now on, the CA tells clients to renew a certificate immediately. @param pem the certificate */
  async wantRenewal(pem: string): Promise<void> {
    const now = Date.now();
    const suggestedWindow = { start: new Date(now - 7_200_000), end: new Date(now - 3_600_000) };
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    const { statusCode, body } = await request(`${this.#management}/set-renewal-info/`, {
      method: "POST",
      dispatcher: agent,
      headers: { "user-agent": "test" },
      body: JSON.stringify({ certificate: pem, ariResponse: JSON.stringify({ suggestedWindow }) }),
    });
    const text = await body.text();
    await agent.close();
    if (statusCode !== 200) {
      throw new Error(`pebble: ${statusCode} ${text}`);
    }
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    }
  }
}
