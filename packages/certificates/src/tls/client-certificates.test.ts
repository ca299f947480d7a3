import "../material/reflect-metadata.ts";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate as LibraryCertificate, Name } from "@peculiar/x509";
import { askTls } from "server-core/testing/ask-tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Http3TestClient } from "../../../admin-server/src/testing/http3-client.ts";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";
import { keyToPem, makeKey } from "../material/key-pair.ts";
import { certificatesToPem, parseCertificates } from "../material/pem.ts";
import { makeCertificate } from "../material/x509.ts";

interface Client {
  readonly cert: string;
  readonly key: string;
}

let running: RunningServer;
let folder: string;
let root: X509Certificate;
let friend: Client;
let other: Client;
let stranger: Client;
/** Facts about a certificate of the server's own CA. */
let own: Client;

async function authority(): Promise<{ root: X509Certificate; issue(name: string): Promise<Client> }> {
  const issuerKey = await makeKey("p256");
  const dates = { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 1_000_000) };
  const made = await makeCertificate({
    commonName: "Clients",
    names: [],
    publicKey: createPublicKey(issuerKey),
    ...dates,
    pathLength: 0,
    issuerKey,
  });
  return {
    root: made,
    async issue(name) {
      const key = await makeKey("p256");
      const certificate = await makeCertificate({
        commonName: name,
        names: [name],
        publicKey: createPublicKey(key),
        ...dates,
        issuer: made,
        issuerKey,
      });
      return { cert: certificatesToPem([certificate]), key: keyToPem(key) };
    },
  };
}

function config(clientAuth: object): object {
  return {
    apps: {
      tls: {
        certificates: { automate: ["x.internal"] },
        automation: { policies: [{ issuers: [{ module: "internal" }] }] },
      },
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            protocols: ["h1", "h2", "h3"],
            tls_connection_policies: [{ client_authentication: clientAuth }],
            automatic_https: { disable_redirects: true },
            routes: [respond("in")],
          },
        },
      },
    },
  };
}

/** Over TCP. */
async function isLetInByTcp(client: Client | undefined, site: string): Promise<boolean> {
  const options = { servername: "x.internal", rejectUnauthorized: false, ...client };
  return askTls(site, options).then(
    ({ text }) => text === "in",
    () => false,
  );
}

async function overQuic(client: Client | undefined, site: string): Promise<Http3TestClient> {
  return Http3TestClient.connect(site, {
    serverName: "x.internal",
    certificate: client && {
      chain: parseCertificates(client.cert, "client").map(({ raw }) => raw),
      key: createPrivateKey(client.key),
    },
  });
}

async function isLetInByQuic(client: Client | undefined, site: string): Promise<boolean> {
  let made: Http3TestClient | undefined;
  try {
    made = await overQuic(client, site);
    return (await made.ask({ authority: "x.internal" })).text === "in";
  } catch {
    return false;
  } finally {
    made?.close();
  }
}

/** True when both TCP and QUIC let a client in. If they differ, the result is a text with both results. */
async function isLetIn(client: Client | undefined, { site } = running): Promise<boolean | string> {
  const [tcp, quic] = await Promise.all([isLetInByTcp(client, site), isLetInByQuic(client, site)]);
  return tcp === quic ? tcp : `TCP ${tcp}, QUIC ${quic}`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "clients-"));
  const [ours, theirs] = [await authority(), await authority()];
  root = ours.root;
  [friend, other] = [await ours.issue("friend"), await ours.issue("other")];
  stranger = await theirs.issue("stranger");
  await writeFile(join(folder, "root.pem"), root.toString());
  await mkdir(join(folder, "leaves"));
  await writeFile(join(folder, "leaves/friend.pem"), friend.cert);
  running = await RunningServer.start(config({ mode: "request" }));
  const stored = join(running.configFolder, "data/server");
  const [path = ""] = (await readdir(join(stored, "certificates"), { recursive: true })).filter((each) =>
    each.endsWith("x.internal.crt"),
  );
  const file = (ending: string) =>
    readFile(join(stored, "certificates", path.replace(/crt$/, ending)), "utf8");
  own = { cert: await file("crt"), key: await file("key") };
  await mkdir(join(stored, "trusted"), { recursive: true });
  await writeFile(join(stored, "trusted/root.pem"), root.toString());
  await writeFile(join(stored, "trusted/friend.pem"), friend.cert);
});
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true, force: true });
});

describe("pools of authorities", () => {
  const der = () => root.raw.toString("base64");
  test.each<[string, () => object]>([
    ["inline", () => ({ provider: "inline", trusted_ca_certs: [der()] })],
    ["file", () => ({ provider: "file", pem_files: [join(folder, "root.pem")] })],
    ["storage", () => ({ provider: "storage", pem_keys: ["trusted/root.pem"] })],
    [
      "a storage of its own",
      () => ({
        provider: "storage",
        storage: { module: "file_system", root: folder },
        pem_keys: ["root.pem"],
      }),
    ],
    [
      "combined",
      () => ({
        provider: "combined",
        sources: [{ provider: "system" }, { provider: "inline", trusted_ca_certs: [der()] }],
      }),
    ],
  ])("%s: lets in those whom it vouches for, and nobody else", async (_, ca) => {
    const answer = await running.admin("POST", "/load", config({ ca: ca() }));
    expect(answer.error).toBe("");
    expect([
      await isLetIn(friend),
      await isLetIn(other),
      await isLetIn(stranger),
      await isLetIn(undefined),
    ]).toEqual([true, true, false, false]);
  });

  test.each(["pki_root", "pki_intermediate"])(
    "%s: lets in whom the own authority vouches for",
    async (provider) => {
      expect((await running.admin("POST", "/load", config({ ca: { provider } }))).error).toBe("");
      expect([await isLetIn(own), await isLetIn(friend)]).toEqual([true, false]);
    },
  );

  test("system: lets nobody in whom only we know", async () => {
    await running.admin("POST", "/load", config({ ca: { provider: "system" } }));
    expect([await isLetIn(own), await isLetIn(friend)]).toEqual([false, false]);
  });

  test("of the own authority may stand in the very first config", async () => {
    const fresh = await RunningServer.start(config({ ca: { provider: "pki_root" } }));
    try {
      expect([await isLetIn(friend, fresh), await isLetIn(undefined, fresh)]).toEqual([false, false]);
    } finally {
      await fresh.close();
    }
  });

  test.each<[object, string]>([
    [
      { provider: "inline", trusted_ca_certs: ["eA=="] },
      "trusted_ca_certs 0: not a certificate, DER in base64",
    ],
    [{ provider: "file", pem_files: ["/nowhere.pem"] }, "/nowhere.pem: ENOENT"],
    [{ provider: "storage", pem_keys: ["no/such"] }, "no/such: not in the storage"],
    [
      { provider: "storage", pem_keys: ["a"], storage: { module: "nothing" } },
      "unknown module: storage.nothing",
    ],
    [{ provider: "pki_root", authority: ["nobody"] }, "no certificate authority configured with id: nobody"],
    [{ provider: "nothing" }, "nothing"],
  ])("%j is refused: %s", async (ca, message) => {
    expect((await running.admin("POST", "/load", config({ ca }))).error).toContain(message);
  });
});

describe("modes", () => {
  const inline = (pem: string) => new X509Certificate(pem).raw.toString("base64");
  const pool = () => ({ trusted_ca_certs: [root.raw.toString("base64")] });
  /** Checks if a client of the CA, a client of another CA, and a client without a certificate are accepted. */
  test.each<[string, () => object, readonly boolean[]]>([
    ["request", () => ({ mode: "request" }), [true, true, true]],
    ["request, with authorities", () => ({ mode: "request", ...pool() }), [true, true, true]],
    ["require", () => ({ mode: "require" }), [true, true, false]],
    ["require, with authorities", () => ({ mode: "require", ...pool() }), [true, true, false]],
    ["verify_if_given", () => ({ mode: "verify_if_given", ...pool() }), [true, false, true]],
    ["require_and_verify", () => ({ mode: "require_and_verify", ...pool() }), [true, false, false]],
    ["no mode", () => pool(), [true, false, false]],
    ["trusted_leaf_certs", () => ({ trusted_leaf_certs: [inline(stranger.cert)] }), [false, true, false]],
    ["both", () => ({ ...pool(), trusted_leaf_certs: [inline(other.cert)] }), [false, false, false]],
  ])("%s", async (_, auth, expected) => {
    expect((await running.admin("POST", "/load", config(auth()))).error).toBe("");
    expect([await isLetIn(friend), await isLetIn(stranger), await isLetIn(undefined)]).toEqual(expected);
  });

  test("over QUIC: the server names its authorities, handlers see the certificate, each host has its own clients", async () => {
    const policy = { match: { sni: ["x.internal"] }, client_authentication: pool() };
    const fields = "{http.request.tls.client.subject} {http.request.tls.client.san.dns_names}";
    const wanted = config({}) as { apps: { http: { servers: { s: Record<string, unknown> } } } };
    Object.assign(wanted.apps.http.servers.s, {
      tls_connection_policies: [policy, {}],
      routes: [respond(fields)],
    });
    expect((await running.admin("POST", "/load", wanted)).error).toBe("");
    const made = await overQuic(friend, running.site);
    try {
      const { subject } = new LibraryCertificate(root.raw);
      expect(made.authorities.map((name) => new Name(name).toString())).toEqual([subject]);
      expect((await made.ask({ authority: "x.internal" })).text).toBe("CN=friend [friend]");
      expect((await made.ask({ authority: "y.internal" })).status).toBe(421);
      expect(made.ticket).toBeUndefined();
    } finally {
      made.close();
    }
  });
});

describe("the verifier leaf", () => {
  test.each<[string, () => object]>([
    ["file", () => ({ loader: "file", files: [join(folder, "leaves/friend.pem")] })],
    ["folder", () => ({ loader: "folder", folders: [join(folder, "leaves")] })],
    ["pem", () => ({ loader: "pem", certificates: [friend.cert] })],
    ["storage", () => ({ loader: "storage", certificates: ["trusted/friend.pem"] })],
    [
      "a storage of its own",
      () => ({
        loader: "storage",
        storage: { module: "file_system", root: join(folder, "leaves") },
        certificates: ["friend.pem"],
      }),
    ],
  ])("lets in only those listed by %s, of all that an authority vouches for", async (_, loader) => {
    const ca = { provider: "file", pem_files: [join(folder, "root.pem")] };
    const verifiers = [{ verifier: "leaf", leaf_certs_loaders: [loader()] }];
    expect((await running.admin("POST", "/load", config({ ca, verifiers }))).error).toBe("");
    expect([await isLetIn(friend), await isLetIn(other)]).toEqual([true, false]);
  });

  test.each<[object, string]>([
    [{ loader: "file", files: ["/nowhere.pem"] }, "/nowhere.pem: ENOENT"],
    [{ loader: "folder", folders: ["/nowhere"] }, "/nowhere: ENOENT"],
    [{ loader: "pem", certificates: ["nothing"] }, "certificates 0: no certificate in PEM"],
    [{ loader: "storage", certificates: ["no/such"] }, "no/such: not in the storage"],
  ])("%j is refused: %s", async (loader, message) => {
    const verifiers = [{ verifier: "leaf", leaf_certs_loaders: [loader] }];
    expect((await running.admin("POST", "/load", config({ verifiers }))).error).toContain(message);
  });
});
