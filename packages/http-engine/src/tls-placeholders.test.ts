// The library needs this polyfill to find its algorithms, so this import must come first.
import "certificates/material/reflect-metadata";
import { createHash, createPublicKey, X509Certificate } from "node:crypto";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { keyToPem, makeKey, webKey } from "certificates/material/key-pair";
import { selfSigned } from "certificates/testing/self-signed";
import { ask } from "server-core/testing/ask";
import { askTls } from "server-core/testing/ask-tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
let client: { readonly cert: string; readonly key: string; readonly certificate: X509Certificate };
beforeAll(async () => {
  running = await RunningServer.start();
  const key = await makeKey("p256");
  const { key: signing, algorithm } = webKey(key);
  const made = await X509CertificateGenerator.createSelfSigned({
    serialNumber: "0123456789",
    name: "CN=client, OU=Team, O=Example\\, Inc, C=DE",
    notBefore: new Date(Date.now() - 1000),
    notAfter: new Date(Date.now() + 100_000),
    signingAlgorithm: algorithm,
    keys: { privateKey: signing, publicKey: webKey(createPublicKey(key)).key },
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: "dns", value: "a.example" },
        { type: "dns", value: "b.example" },
        { type: "email", value: "c@example" },
        { type: "ip", value: "192.0.2.7" },
        { type: "url", value: "spiffe://example/x,y" },
      ]),
    ],
  });
  const certificate = new X509Certificate(Buffer.from(made.rawData));
  client = { cert: certificate.toString(), key: keyToPem(key), certificate };
});
afterAll(() => running.close());

async function load(body: string, plain = false): Promise<void> {
  const secure = {
    tls_connection_policies: [{ client_authentication: { mode: "request" } }],
    automatic_https: { disable_redirects: true },
  };
  const answer = await running.admin("POST", "/load", {
    apps: {
      tls: {
        automation: { policies: [{ issuers: [{ module: "internal" }] }] },
        certificates: { automate: ["x.internal"] },
      },
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            strict_sni_host: false,
            ...(plain ? {} : secure),
            routes: [{ handle: [{ handler: "static_response", body }] }],
          },
        },
      },
    },
  });
  expect(answer.error).toBe("");
}

async function filledIn(name: string, options: object = {}): Promise<string> {
  await load(`{http.request.tls.${name}}`);
  return (await askTls(running.site, { servername: "x.internal", rejectUnauthorized: false, ...options }))
    .text;
}

describe("placeholders of the handshake", () => {
  test.each([
    ["version", { maxVersion: "TLSv1.2" }, "tls1.2"],
    ["version", {}, "tls1.3"],
    ["cipher_suite", { ciphers: "TLS_AES_128_GCM_SHA256" }, "TLS_AES_128_GCM_SHA256"],
    [
      "cipher_suite",
      { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" },
      "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    ],
    ["resumed", {}, "false"],
    ["proto", { ALPNProtocols: ["http/1.1"] }, "http/1.1"],
    ["proto_mutual", {}, "true"],
    ["server_name", {}, "x.internal"],
    ["ech", {}, "false"],
    ["nothing", {}, "{http.request.tls.nothing}"],
  ])("%s of %j is %j", async (name, options, expected) => {
    expect(await filledIn(name, options)).toBe(expected);
  });
});

test("placeholders of the subject are empty for a client's certificate without one", async () => {
  const nameless = await selfSigned("", { names: ["nameless.internal"] });
  expect(await filledIn("client.subject", nameless)).toBe("");
  expect(await filledIn("client.subject.common_name", nameless)).toBe("");
  expect(await filledIn("client.san.dns_names.0", nameless)).toBe("nameless.internal");
});

describe("placeholders of a client's certificate", () => {
  const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const point = () => {
    const { x = "", y = "" } = client.certificate.publicKey.export({ format: "jwk" });
    return Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  };
  test.each<[string, string | (() => string)]>([
    ["fingerprint", () => hash(client.certificate.raw)],
    ["public_key", () => point().toString("hex")],
    ["public_key_sha256", () => hash(point())],
    ["serial", BigInt("0x0123456789").toString()],
    ["subject", "CN=client,OU=Team,O=Example\\, Inc,C=DE"],
    ["issuer", "CN=client,OU=Team,O=Example\\, Inc,C=DE"],
    ["subject.common_name", "client"],
    ["subject.ou", "Team"],
    ["subject.nothing", "{http.request.tls.client.subject.nothing}"],
    ["certificate_pem", () => client.cert],
    ["certificate_der_base64", () => client.certificate.raw.toString("base64")],
    ["san.dns_names", "[a.example b.example]"],
    ["san.dns_names.1", "b.example"],
    ["san.dns_names.2", ""],
    ["san.emails.0", "c@example"],
    ["san.ips.0", "192.0.2.7"],
    ["san.uris.0", "spiffe://example/x,y"],
    ["san.x", "{http.request.tls.client.san.x}"],
  ])("%s", async (name, expected) => {
    const text = await filledIn(`client.${name}`, { cert: client.cert, key: client.key });
    expect(text).toBe(typeof expected === "string" ? expected : expected());
  });

  test("are empty without one, and without TLS", async () => {
    expect(await filledIn("client.subject}|{http.request.tls.client.san.dns_names.0")).toBe("|");
    await load("{http.request.tls.version}|{http.request.tls.client.serial}", true);
    expect((await ask(running.site)).text).toBe("|");
  });
});
