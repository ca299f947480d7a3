import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { createLogger } from "lifecycle";
import { ask } from "server-core/testing/ask";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";
import { makeKey } from "../../../material/key-pair.ts";
import { parseCertificates } from "../../../material/pem.ts";
import { readCertificateRequest } from "../../../pki/acme-server/certificate-request.ts";
import { selfSigned } from "../../../testing/self-signed.ts";
import type { DnsProvider } from "../../dns/dns-provider.ts";
import { FileSystemStorage } from "../../storage/file-system.ts";
import { ChallengeAnswers } from "../acme/challenge-answers.ts";
import { ChallengeBoard } from "../acme/challenge-board.ts";
import type { IssuedCertificate } from "../issuer.ts";
import { ZerosslIssuer } from "./zerossl-issuer.ts";

const log = createLogger({ name: "server", level: "fatal", encoding: "json" });
const content = ["HASH", "comodoca.com", "tail"];

/** ZeroSSL's REST API as documented: it takes orders, checks the proofs of names, and issues certificates. */
class Authority {
  readonly requests: string[] = [];
  readonly cancelled: string[] = [];
  /** Port for proofs, instead of port 80 of the name. */
  provingPort = 0;
  /** Records that were made. */
  readonly records = new Map<string, string>();
  /** Answers that replace the usual ones, by path. */
  readonly faults = new Map<string, unknown>();
  readonly #server: Server;
  readonly #orders = new Map<string, { name: string; asked: number }>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Authority> {
    const server = createServer();
    const authority = new Authority(server);
    server.on("request", async (request: IncomingMessage, response) => {
      const answer = await authority.#answer(request);
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return authority;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    const [, , id = "", action = ""] = (request.url ?? "").split("/");
    const body = request.method === "POST" && action !== "cancel" ? await json(request) : {};
    this.requests.push(`${request.method} ${id === "" ? "order" : action || "look"}`);
    const fault = this.faults.get(id === "" ? "order" : action || "look");
    if (fault !== undefined) {
      return fault;
    }
    if (request.headers.authorization !== "ApiKey the-key") {
      return { success: false, error: { code: 101, type: "invalid_access_key" } };
    }
    return id === "" ? this.#order(body as Record<string, string>) : this.#about(id, action, body as object);
  }

  async #order(order: Record<string, string>): Promise<unknown> {
    const pem = order.certificate_csr ?? "";
    const { names } = await readCertificateRequest(
      Buffer.from(pem.replace(/-----.*-----|\n/g, ""), "base64"),
    );
    if (names.join() !== order.certificate_domains) {
      return { success: 0, error: { code: 2817, type: "invalid_certificate_csr" } };
    }
    const id = randomUUID().replaceAll("-", "");
    const name = String(order.certificate_domains);
    this.#orders.set(id, { name, asked: 0 });
    const proof = {
      file_validation_url_http: `http://${name}/.well-known/pki-validation/AB12.txt`,
      file_validation_content: content,
      cname_validation_p1: `_ab12.${name}`,
      cname_validation_p2: "ab12.sectigo.com",
    };
    return { id, status: "draft", validation: { other_methods: { [name]: proof } } };
  }

  async #about(id: string, action: string, body: object): Promise<unknown> {
    const order = this.#orders.get(id);
    if (order === undefined) {
      return { success: false, error: { code: 2803, type: "certificate_not_found" } };
    }
    switch (action) {
      case "challenges": {
        const { validation_method: method } = body as { validation_method: string };
        const proved =
          method === "CNAME_CSR_HASH"
            ? this.records.get(`_ab12.${order.name}`) === "ab12.sectigo.com"
            : await this.#seesFile(order.name);
        return proved
          ? { id, status: "pending_validation" }
          : { success: false, error: { code: 0, type: "domain_control_validation_failed" } };
      }
      case "cancel":
        this.cancelled.push(id);
        return { success: 1 };
      case "download": {
        const { cert } = await selfSigned(order.name);
        return { "certificate.crt": cert.trimEnd(), "ca_bundle.crt": (await selfSigned("chain")).cert };
      }
      default:
        order.asked++;
        return { id, status: order.asked < 2 ? "pending_validation" : "issued" };
    }
  }

  async #seesFile(name: string): Promise<boolean> {
    const url = `http://127.0.0.1:${this.provingPort}/.well-known/pki-validation/AB12.txt`;
    const answer = await ask(url, { headers: { Host: name } }).catch(() => undefined);
    return answer?.status === 200 && answer.text === content.join("\n");
  }
}

let folder: string;
let authority: Authority;
let board: ChallengeBoard;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zerossl-"));
  authority = await Authority.start();
  board = new ChallengeBoard();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A free port for the issuer's listener. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function open(more: object = {}, dns?: DnsProvider): ZerosslIssuer {
  const issuer = new ZerosslIssuer({
    config: { api_key: "the-key", listen_host: "127.0.0.1", ...more },
    board,
    log,
    dns,
    resolvers: async () => [],
    base: authority.base,
    pollMs: 1,
  });
  onTestFinished(() => issuer.close());
  return issuer;
}

async function issue(issuer: ZerosslIssuer, name = "site.example"): Promise<IssuedCertificate> {
  const signal = new AbortController().signal;
  const storage = new FileSystemStorage(folder);
  return issuer.issue({ name, key: await makeKey("p256"), signal, failures: 0, storage });
}

describe("over HTTP", () => {
  test("shows the file, waits, and gets the certificate with its chain; nothing stays behind", async () => {
    authority.provingPort = await freePort();
    const issuer = open({ alternate_http_port: authority.provingPort, validity_days: 90 });
    const { chainPem, data } = await issue(issuer);
    const chain = parseCertificates(chainPem, "chain");
    expect(chain.map(({ subject }) => subject)).toEqual(["CN=site.example", "CN=chain"]);
    expect(data).toEqual({ id: expect.any(String) });
    expect(authority.requests).toEqual([
      "POST order",
      "POST challenges",
      "GET look",
      "GET look",
      "GET download",
    ]);
    expect(await new FileSystemStorage(folder).list("")).toEqual([]);
    expect(board.token({ token: "AB12.txt", host: "site.example" })).toBeUndefined();
  });

  test("another instance that shares the storage answers for it, for its name and file only", async () => {
    const storage = new FileSystemStorage(folder);
    const issuer = open();
    const answers = new ChallengeAnswers(new ChallengeBoard(), () => ({ issuers: [issuer], storage }), log);
    const server = createServer(async (request, response) => {
      const token = request.url?.split("/").at(-1) ?? "";
      const host = request.headers.host ?? "";
      const others = await answers.token({ token, host: "other.example" });
      const none = await answers.token({ token: "other.txt", host });
      expect([others, none]).toEqual([undefined, undefined]);
      response.end(await answers.token({ token, host }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    authority.provingPort = (server.address() as AddressInfo).port;
    // The issuer's port is in use, for example by a site of the server.
    expect((await issue(open({ alternate_http_port: authority.provingPort }))).chainPem).toContain("BEGIN");
  });
});

test("by DNS it has a CNAME made, and removed", async () => {
  const calls: string[] = [];
  const dns: DnsProvider = {
    async present(name, value, ttl, type) {
      calls.push(`present ${name} ${value} ${ttl} ${type}`);
      authority.records.set(name, value);
    },
    async remove(name, value, type) {
      calls.push(`remove ${name} ${value} ${type}`);
    },
  };
  await issue(open({ cname_validation: { ttl: 60_000, propagation_timeout: -1 } }, dns));
  expect(calls).toEqual([
    "present _ab12.site.example ab12.sectigo.com 60 CNAME",
    "remove _ab12.site.example ab12.sectigo.com CNAME",
  ]);
});

test.each([
  ["the key is wrong", { api_key: "other" }, "order", undefined, "invalid_access_key 101", 0],
  ["the name is not proved", {}, "challenges", undefined, "domain_control_validation_failed", 1],
  [
    "the order is cancelled",
    {},
    "challenges",
    { id: "a", status: "cancelled" },
    "the certificate is cancelled",
    1,
  ],
  ["it offers no way", {}, "order", { id: "a", status: "draft" }, "offers no way to prove it", 0],
  ["the answer is none", {}, "order", { x: 1 }, "cannot be read", 0],
] as const)("%s: says so, and gives the order up", async (_, more, path, fault, message, cancels) => {
  if (fault !== undefined) {
    authority.faults.set(path, fault);
  }
  authority.provingPort = await freePort();
  const issuer = open({ alternate_http_port: await freePort(), ...more });
  const failed = await issue(issuer).catch((error: Error) => error);
  expect(failed).toBeInstanceOf(Error);
  expect((failed as Error).message).toContain(message);
  expect(authority.cancelled).toHaveLength(cancels);
  expect((failed as Error).message).not.toContain("the-key");
});

test("a site of the server answers for it before its routes, and is asked for nothing else", async () => {
  const running = await RunningServer.start(
    siteConfig({ handle: [{ handler: "static_response", body: "route" }] }),
  );
  onTestFinished(() => running.close());
  const text = async (path: string) => (await ask(`${running.site}${path}`)).text;
  expect(await text("/.well-known/pki-validation/AB12.txt")).toBe("route");
  expect(await text("/.well-known/pki-validation/..%2fx.txt")).toBe("route");
  const issuers = [{ module: "zerossl", api_key: "k" }];
  const policies = [{ subjects: ["a.example"], issuers }];
  const answer = await running.admin("POST", "/load", { apps: { tls: { automation: { policies } } } });
  expect(answer.error).toBe("");
  const refused = { apps: { tls: { automation: { policies: [{ issuers: [{ module: "zerossl" }] }] } } } };
  expect((await running.admin("POST", "/load", refused)).error).toContain("api_key");
});
