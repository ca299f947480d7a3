import { createHash, createPublicKey, randomBytes, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as acme from "acme-client";
import { exportJWK, FlattenedSign, generateKeyPair, type JWK } from "jose";
import { ask, type HttpAnswer } from "server-core/testing/ask";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";
import { renewalId } from "../../acme/renewal-id.ts";
import { makeKey } from "../../material/key-pair.ts";
import { makeRequest } from "../../material/x509.ts";
import { FileSystemStorage } from "../../tls/storage/file-system.ts";
import { AcmeStore } from "./acme-store.ts";

/** Responses for the checks of names; tests fill this map. */
const answers = new Map<string, string>();
const site = createServer((request, response) => {
  const text = answers.get(request.url ?? "");
  response.writeHead(text === undefined ? 404 : 200).end(text ?? "");
});

let running: RunningServer;
let validationPort: number;
beforeAll(async () => {
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  validationPort = (site.address() as AddressInfo).port;
  running = await RunningServer.start();
  await load({});
});
afterAll(async () => {
  await running.close();
  site.close();
});
afterEach(() => answers.clear());

function load(handler: object, more: object = {}) {
  return running.admin("POST", "/load", {
    apps: {
      ...more,
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            routes: [{ handle: [{ handler: "acme_server", http_port: validationPort, ...handler }] }],
          },
        },
      },
    },
  });
}

const base = () => `${running.site}/acme/local`;

/** A client that signs any message, even one that no honest client would sign. */
class Client {
  readonly key: CryptoKey;
  readonly jwk: JWK;
  kid = "";
  nonce = "";

  private constructor(key: CryptoKey, jwk: JWK) {
    this.key = key;
    this.jwk = jwk;
  }

  static async create(alg = "ES256"): Promise<Client> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    return new Client(privateKey, await exportJWK(publicKey));
  }

  static async registered(): Promise<Client> {
    const client = await Client.create();
    const answer = await client.post("new-account", { contact: ["mailto:a@example.test"] });
    client.kid = String(answer.headers.location);
    return client;
  }

  async sign(url: string, payload: unknown, header: object = {}): Promise<object> {
    const who = this.kid === "" ? { jwk: this.jwk } : { kid: this.kid };
    const text = payload === "" ? "" : JSON.stringify(payload);
    return new FlattenedSign(Buffer.from(text))
      .setProtectedHeader({ alg: "ES256", ...who, nonce: this.nonce, url, ...header })
      .sign(this.key);
  }

  async send(url: string, body: object | string, type = "application/jose+json"): Promise<HttpAnswer> {
    const answer = await ask(url, {
      method: "POST",
      headers: { "Content-Type": type },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    this.nonce = String(answer.headers["replay-nonce"] ?? "");
    return answer;
  }

  async post(path: string, payload: unknown, header: object = {}): Promise<HttpAnswer> {
    const url = path.startsWith("http") ? path : `${base()}/${path}`;
    if (this.nonce === "") {
      this.nonce = String((await ask(`${base()}/new-nonce`, { method: "HEAD" })).headers["replay-nonce"]);
    }
    return this.send(url, await this.sign(url, payload, header));
  }
}

const problemOf = (answer: HttpAnswer) => {
  const { type, detail } = JSON.parse(answer.text);
  return [answer.status, String(type).replace("urn:ietf:params:acme:error:", ""), detail];
};

async function orderFor(client: Client, names: string[]) {
  const identifiers = names.map((value) => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value }));
  const answer = await client.post("new-order", { identifiers });
  return { answer, url: String(answer.headers.location), order: JSON.parse(answer.text) };
}

/** Polls until the state is decided. Each poll gets a response; the server ends its attempts by itself. */
async function decided(client: Client, url: string) {
  for (;;) {
    const found = JSON.parse((await client.post(url, "")).text);
    if (found.status !== "pending" && found.status !== "processing") {
      return found;
    }
  }
}

async function prove(client: Client, authorizationUrl: string) {
  const { challenges } = JSON.parse((await client.post(authorizationUrl, "")).text);
  const { token, url } = challenges.find(({ type }: { type: string }) => type === "http-01");
  const thumbprint = createHash("sha256")
    .update(JSON.stringify({ crv: client.jwk.crv, kty: client.jwk.kty, x: client.jwk.x, y: client.jwk.y }))
    .digest("base64url");
  answers.set(`/.well-known/acme-challenge/${token}`, `${token}.${thumbprint}`);
  await client.post(url, {});
  return decided(client, authorizationUrl);
}

describe("an ACME client of another house", () => {
  test("registers, proves its names, gets a certificate, changes its key and revokes", async () => {
    acme.axios.defaults.proxy = false;
    const accountKey = await acme.crypto.createPrivateEcdsaKey();
    const client = new acme.Client({ directoryUrl: `${base()}/directory`, accountKey });
    const [key, csr] = await acme.crypto.createCsr({ altNames: ["localhost"] });
    const pem = await client.auto({
      csr,
      email: "admin@example.test",
      termsOfServiceAgreed: true,
      skipChallengeVerification: true,
      challengeCreateFn: async (_authorization, { token }, text) => {
        answers.set(`/.well-known/acme-challenge/${token}`, text);
      },
      challengeRemoveFn: async () => undefined,
    });
    const [leaf, intermediate] = pem
      .split(/(?<=-----END CERTIFICATE-----\n)/)
      .map((each) => new X509Certificate(each));
    expect(leaf?.subjectAltName).toBe("DNS:localhost");
    expect(leaf?.publicKey.equals(createPublicKey(key))).toBe(true);
    expect(leaf?.verify((intermediate as X509Certificate).publicKey)).toBe(true);
    const { root_certificate: root } = JSON.parse((await running.admin("GET", "/pki/ca/local")).text);
    expect(intermediate?.verify(new X509Certificate(root).publicKey)).toBe(true);
    await client.updateAccountKey(await acme.crypto.createPrivateEcdsaKey());
    await client.revokeCertificate(pem);
    await expect(client.revokeCertificate(pem)).rejects.toThrow("revoked at");
  });
});

describe("messages", () => {
  test("are taken once: a nonce that was used is refused, with another one", async () => {
    const client = await Client.registered();
    const { kid, nonce } = client;
    const body = await client.sign(kid, "");
    expect((await client.send(kid, body)).status).toBe(200);
    const again = await client.send(kid, body);
    expect(problemOf(again)).toEqual([400, "badNonce", expect.any(String)]);
    expect(client.nonce).not.toBe(nonce);
    expect((await client.post(kid, "")).status).toBe(200);
  });

  test.each<[string, (client: Client) => object, unknown[]]>([
    ["for another URL", () => ({ url: "https://elsewhere.example/x" }), [403, "unauthorized"]],
    ["signed with a shared secret", () => ({ alg: "HS256" }), [400, "badSignatureAlgorithm"]],
    ["not signed", () => ({ alg: "none" }), [400, "badSignatureAlgorithm"]],
    ["of two signers", ({ jwk }) => ({ jwk }), [400, "malformed"]],
    ["with critical extensions", () => ({ crit: ["x"], x: 1 }), [400, "malformed"]],
    ["of an unknown account", () => ({ kid: `${base()}/account/nobody` }), [400, "accountDoesNotExist"]],
    [
      "of an account elsewhere",
      ({ kid }) => ({ kid: kid.replace("/local/", "/other/") }),
      [400, "accountDoesNotExist"],
    ],
  ])("%s are refused", async (_, header, expected) => {
    const client = await Client.registered();
    const signed = (await client.sign(client.kid, "")) as { protected: string };
    const decoded = JSON.parse(Buffer.from(signed.protected, "base64url").toString());
    const changed = Buffer.from(JSON.stringify({ ...decoded, ...header(client) })).toString("base64url");
    const answer = await client.send(client.kid, { ...signed, protected: changed });
    expect(problemOf(answer).slice(0, 2)).toEqual(expected);
  });

  test("that were changed on their way are refused", async () => {
    const client = await Client.registered();
    const signed = await client.sign(client.kid, { status: "deactivated" });
    const payload = Buffer.from(JSON.stringify({ contact: [] })).toString("base64url");
    const answer = await client.send(client.kid, { ...signed, payload });
    expect(problemOf(answer)).toEqual([400, "malformed", "the signature does not verify"]);
  });

  test.each([
    ["no JSON", "x", "application/jose+json", 400],
    [
      "a header beside the signed one",
      '{"protected":"","payload":"","signature":"","header":{}}',
      "application/jose+json",
      400,
    ],
    ["another type", "{}", "application/json", 415],
    ["more than a message may have", "x".repeat(65 * 1024), "application/jose+json", 413],
  ])("with %s are refused", async (_, body, type, status) => {
    const answer = await (await Client.create()).send(`${base()}/new-account`, body, type);
    expect(answer.status).toBe(status);
  });

  test("with the private half of a key are refused", async () => {
    const client = await Client.create();
    const jwk = { ...client.jwk, d: "AAAA" };
    expect(problemOf(await client.post("new-account", {}, { jwk }))).toEqual([
      400,
      "malformed",
      "message: jwk: the private half of a key must stay private",
    ]);
  });

  test("other than POST, and to nowhere, are refused", async () => {
    expect((await ask(`${base()}/new-order`)).status).toBe(405);
    expect((await ask(`${base()}/nothing`)).status).toBe(404);
    expect((await ask(`${base()}/renewal-info/a.b`)).status).toBe(404);
    const { headers, status } = await ask(`${base()}/new-nonce`);
    expect([status, headers["replay-nonce"], headers.link]).toEqual([
      204,
      expect.stringMatching(/^[\w-]{20,}$/),
      `<${base()}/directory>;rel="index"`,
    ]);
  });
});

describe("accounts", () => {
  test("are found by their key, changed, and deactivated for good", async () => {
    const client = await Client.create();
    expect(problemOf(await client.post("new-account", { onlyReturnExisting: true }))[1]).toBe(
      "accountDoesNotExist",
    );
    const first = await client.post("new-account", {});
    const second = await client.post("new-account", { onlyReturnExisting: true });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.headers.location).toBe(first.headers.location);
    client.kid = String(first.headers.location);
    expect(problemOf(await client.post(client.kid, { contact: ["tel:1"] }))[1]).toBe("unsupportedContact");
    const changed = await client.post(client.kid, { contact: ["mailto:b@example.test"] });
    expect(JSON.parse(changed.text)).toMatchObject({ status: "valid", contact: ["mailto:b@example.test"] });
    const other = await Client.registered();
    expect(problemOf(await client.post(other.kid, ""))[1]).toBe("unauthorized");
    await client.post(client.kid, { status: "deactivated" });
    expect(problemOf(await client.post("new-order", {}))[1]).toBe("unauthorized");
  });

  test("do not get the key of another account", async () => {
    const [client, other] = [await Client.registered(), await Client.registered()];
    const url = `${base()}/key-change`;
    const inner = await new FlattenedSign(
      Buffer.from(JSON.stringify({ account: client.kid, oldKey: client.jwk })),
    )
      .setProtectedHeader({ alg: "ES256", jwk: other.jwk, url })
      .sign(other.key);
    const answer = await client.post(url, inner);
    expect([answer.status, answer.headers.location]).toEqual([409, other.kid]);
  });
});

describe("orders", () => {
  test("become certificates once their names are proved", async () => {
    const client = await Client.registered();
    const { answer, url, order } = await orderFor(client, ["localhost"]);
    expect([answer.status, order.status, order.identifiers]).toEqual([
      201,
      "pending",
      [{ type: "dns", value: "localhost" }],
    ]);
    const key = await makeKey("p256");
    const finalize = async (names: string[], signer = key) =>
      client.post(order.finalize, { csr: (await makeRequest(names, signer)).toString("base64url") });
    expect(problemOf(await finalize(["localhost"]))[1]).toBe("orderNotReady");
    expect((await prove(client, order.authorizations[0])).status).toBe("valid");
    expect(JSON.parse((await client.post(url, "")).text).status).toBe("ready");
    expect(problemOf(await finalize(["localhost", "more.example"]))).toEqual([
      400,
      "badCSR",
      "the request is for localhost, more.example, the order for localhost",
    ]);
    expect(problemOf(await client.post(order.finalize, { csr: "AAAA" }))[1]).toBe("badCSR");
    const done = JSON.parse((await finalize(["localhost"])).text);
    expect(done.status).toBe("valid");
    const chain = await client.post(done.certificate, "");
    expect(chain.headers["content-type"]).toBe("application/pem-certificate-chain");
    expect(chain.text.match(/BEGIN/g)).toHaveLength(2);
    const stranger = await Client.registered();
    expect((await stranger.post(done.certificate, "")).status).toBe(404);
    const listed = await client.post(`${client.kid}/orders`, "");
    expect(JSON.parse(listed.text)).toEqual({ orders: [url] });
  });

  test("whose names answer wrongly are invalid, and say why", async () => {
    const client = await Client.registered();
    const { url, order } = await orderFor(client, ["127.0.0.1"]);
    const [challenge] = JSON.parse((await client.post(order.authorizations[0], "")).text).challenges;
    answers.set(`/.well-known/acme-challenge/${challenge.token}`, "something else");
    await client.post(challenge.url, {});
    const found = await decided(client, order.authorizations[0]);
    expect([found.status, found.challenges[0].error]).toMatchObject([
      "invalid",
      {
        type: "urn:ietf:params:acme:error:incorrectResponse",
        detail: expect.stringContaining("not the key authorization"),
      },
    ]);
    expect(JSON.parse((await client.post(url, "")).text)).toMatchObject({ status: "invalid", error: {} });
  });

  test.each([
    [{ identifiers: [] }, "malformed"],
    [{ identifiers: [{ type: "dns", value: "a b.example" }] }, "malformed"],
    [{ identifiers: [{ type: "dns", value: "a.*.example" }] }, "malformed"],
    [{ identifiers: [{ type: "dns", value: "127.0.0.1" }] }, "malformed"],
    [{ identifiers: [{ type: "ip", value: "localhost" }] }, "malformed"],
    [{ identifiers: [{ type: "email", value: "a@b" }] }, "unsupportedIdentifier"],
    [
      { identifiers: Array.from({ length: 101 }, (_, n) => ({ type: "dns", value: `n${n}.example` })) },
      "malformed",
    ],
    [{ identifiers: [{ type: "dns", value: "a.example" }], notAfter: "yesterday" }, "malformed"],
    [{ identifiers: [{ type: "dns", value: "a.example" }], notAfter: "2020-01-01T00:00:00Z" }, "malformed"],
  ])("such as case %# are refused: $1", async (payload, type) => {
    expect(problemOf(await (await Client.registered()).post("new-order", payload))[1]).toBe(type);
  });

  test("offer the challenges that can prove a name", async () => {
    const client = await Client.registered();
    const { order } = await orderFor(client, ["a.example", "*.a.example", "192.0.2.1"]);
    const kinds = [];
    for (const url of order.authorizations) {
      const found = JSON.parse((await client.post(url, "")).text);
      kinds.push([found.wildcard ?? false, ...found.challenges.map(({ type }: { type: string }) => type)]);
    }
    expect(kinds).toEqual([
      [false, "http-01", "dns-01", "tls-alpn-01"],
      [true, "dns-01"],
      [false, "http-01", "tls-alpn-01"],
    ]);
    await client.post(order.authorizations[0], { status: "deactivated" });
    expect(JSON.parse((await client.post(order.authorizations[0], "")).text).status).toBe("deactivated");
  });
});

test("certificates are asked for when to renew: at once when they are revoked", async () => {
  const client = await Client.registered();
  const { order } = await orderFor(client, ["localhost"]);
  await prove(client, order.authorizations[0]);
  const key = await makeKey("p256");
  const csr = (await makeRequest(["localhost"], key)).toString("base64url");
  const { certificate } = JSON.parse((await client.post(order.finalize, { csr })).text);
  const leaf = new X509Certificate((await client.post(certificate, "")).text);
  const asked = async () =>
    JSON.parse((await ask(`${base()}/renewal-info/${renewalId(leaf)}`)).text).suggestedWindow;
  expect(Date.parse((await asked()).start)).toBeGreaterThan(Date.now());
  const revoke = (by: Client, more: object = {}) =>
    by.post("revoke-cert", { certificate: leaf.raw.toString("base64url"), ...more });
  expect(problemOf(await revoke(await Client.registered()))[1]).toBe("unauthorized");
  expect(problemOf(await revoke(client, { reason: 7 }))[1]).toBe("badRevocationReason");
  // The holder of the certificate's own key may also revoke it, without an account.
  const owner = await Client.create();
  Object.assign(owner, {
    key: key.toCryptoKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]),
    jwk: await exportJWK(createPublicKey(key)),
  });
  expect((await revoke(owner)).status).toBe(200);
  expect(Date.parse((await asked()).end)).toBeLessThan(Date.now());
});

test("the config says what is issued, and which requests are for it", async () => {
  const authorities = { pki: { certificate_authorities: { inner: { install_trust: false } } } };
  const handler = {
    ca: "inner",
    path_prefix: "/ca/",
    challenges: [" HTTP-01 "],
    host: "acme.internal",
    policy: { allow: { domains: ["*.allowed.example"] }, deny: { ip_ranges: ["192.0.2.0/24"] } },
  };
  expect((await load(handler, authorities)).error).toBe("");
  const directory = JSON.parse((await ask(`${running.site}/ca/inner/directory`)).text);
  expect(directory.newNonce).toBe("http://acme.internal/ca/inner/new-nonce");
  expect((await ask(`${running.site}/acme/local/directory`)).text).toBe("");
  expect((await load({ policy: { allow: { ip_ranges: ["x"] } } })).error).toContain(
    "not an address or a network",
  );
  expect((await load({ challenges: ["http-02"] })).status).toBe(400);
  expect((await load({ resolvers: ["dns.example"] })).error).toContain("a DNS server is an IP address");
  await load({ policy: { deny: { domains: ["denied.example"] } } });
  const client = await Client.registered();
  const refused = await orderFor(client, ["denied.example"]);
  expect(problemOf(refused.answer)).toEqual([400, "rejectedIdentifier", "denied.example: denied by policy"]);
  await load({});
});

test("what was stored is there after a restart, and what is over is removed", async () => {
  const client = await Client.registered();
  const { url } = await orderFor(client, ["a.example"]);
  await load({ lifetime: "1h" });
  const path = (address: string) => new URL(address).pathname.replace("/acme/local/", "");
  client.kid = `${base()}/${path(client.kid)}`;
  expect(JSON.parse((await client.post(path(url), "")).text).status).toBe("pending");
  const storage = new FileSystemStorage(`${running.configFolder}/data/server`);
  await new AcmeStore(storage, "local").clean(Date.now() + 2 * 86_400_000);
  expect((await client.post(path(url), "")).status).toBe(404);
  expect((await client.post(client.kid, "")).status).toBe(200);
});

test("random bytes as a message never break it", async () => {
  const client = await Client.create();
  for (let round = 0; round < 20; round++) {
    const message = {
      protected: randomBytes(40).toString("base64url"),
      payload: randomBytes(10).toString("base64url"),
      signature: randomBytes(64).toString("base64url"),
    };
    expect((await client.send(`${base()}/new-account`, message)).status).toBe(400);
  }
});
