import { mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "server-core/json/json-value";
import { ConfigContext } from "server-core/modules/config-context";
import { ConfigScope } from "server-core/modules/config-scope";
import { ask } from "server-core/testing/ask";
import { freePorts } from "server-core/testing/free-ports";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../../../../admin-server/src/testing/running-server.ts";
import { makeKey } from "../../../material/key-pair.ts";
import { FileSystemStorage } from "../../storage/file-system.ts";
import { type CertificateIssuer, issuers } from "../issuer.ts";
import { findSharedChallenge, shareChallenge, sharedChallengeKey } from "./shared-challenge.ts";

let folder: string;
let storage: FileSystemStorage;
let httpPort: number;
let tlsPort: number;
/** A port at which the instance that orders would answer; no request arrives there. */
let elsewhere: number;
let authority: RunningServer;
let scope: ConfigScope;
/** Instances that serve the ports to which the authority comes, and order nothing. */
let other: RunningServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shared-challenge-"));
  storage = new FileSystemStorage(join(folder, "storage"));
  [httpPort = 0, tlsPort = 0, elsewhere = 0] = await freePorts(3);
  authority = await RunningServer.start({
    apps: {
      pki: { certificate_authorities: { local: { install_trust: false } } },
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            routes: [{ handle: [{ handler: "acme_server", http_port: httpPort, tls_alpn_port: tlsPort }] }],
          },
        },
      },
    },
  });
  scope = new ConfigScope(authority.server.services);
  scope.storage = storage;
});
afterEach(async () => {
  await other?.close();
  other = undefined;
});
afterAll(async () => {
  await scope.close();
  await authority.close();
  await rm(folder, { recursive: true });
});

const acme = (challenges: JsonObject) => ({ ca: `${authority.site}/acme/local/directory`, challenges });

async function startOther(root: string, challenges: JsonObject, workers: number): Promise<void> {
  const routes = [{ handle: [{ handler: "static_response", status_code: 404, body: "a route" }] }];
  other = await RunningServer.start(
    {
      storage: { module: "file_system", root },
      apps: {
        http: {
          http_port: httpPort,
          https_port: tlsPort,
          servers: {
            plain: { listen: [`127.0.0.1:${httpPort}`], routes },
            secure: {
              listen: [`127.0.0.1:${tlsPort}`],
              automatic_https: { disable_redirects: true },
              tls_connection_policies: [{}],
            },
          },
        },
        tls: { automation: { policies: [{ issuers: [{ module: "acme", ...acme(challenges) }] }] } },
      },
    },
    {},
    workers,
  );
}

/** Orders a certificate as an instance to which the authority's questions do not come. */
async function order(name: string, challenges: JsonObject): Promise<string> {
  const issuer: CertificateIssuer = await new ConfigContext(scope, "/config/test").load(
    issuers,
    "acme",
    acme({
      bind_host: "127.0.0.1",
      http: { alternate_port: elsewhere, disabled: true },
      "tls-alpn": { alternate_port: elsewhere, disabled: true },
      ...challenges,
    }),
    "0",
  );
  const key = await makeKey("p256");
  const { signal } = new AbortController();
  return (await issuer.issue({ name, key, signal, failures: 0, storage })).chainPem;
}

const byHttp = () => ({ http: { alternate_port: elsewhere } });
const byTls = () => ({ "tls-alpn": { alternate_port: elsewhere } });

test("an instance that did not order answers HTTP-01 and TLS-ALPN-01, and nothing stays behind", async () => {
  await startOther(join(folder, "storage"), {}, 1);
  const issued = await Promise.all([order("localhost", byHttp()), order("127.0.0.1", byTls())]);
  expect(issued).toEqual(Array(2).fill(expect.stringContaining("BEGIN CERTIFICATE")));
  expect((await storage.list("acme")).filter((key) => key.includes("challenge_tokens"))).toEqual([]);
});

test("what is not to be distributed is not stored; but whoever has the account answers HTTP-01", async () => {
  const alone = { distributed: false };
  await startOther(join(folder, "storage"), alone, 0);
  await Promise.all([
    expect(order("localhost", { ...byHttp(), ...alone })).resolves.toContain("BEGIN CERTIFICATE"),
    expect(order("127.0.0.1", { ...byTls(), ...alone })).rejects.toThrow(/^127\.0\.0\.1: tls-alpn-01: /),
  ]);
});

test("only whom the challenge is for, and who knows its token, is answered; others come to the routes", async () => {
  await startOther(join(folder, "storage"), {}, 0);
  const issuerKey = `${new URL(authority.site).host}-acme-local-directory`;
  const token = "token_1-2";
  const undo = await shareChallenge(storage, issuerKey, {
    ...{ type: "http-01", url: "https://ca.test/1", name: "a.test", token },
    keyAuthorization: `${token}.thumbprint`,
  });
  const path = join(folder, "storage", sharedChallengeKey(issuerKey, "http-01", "a.test"));
  expect(path).toMatch(/\/acme\/127\.0\.0\.1-\d+-acme-local-directory\/challenge_tokens\/a\.test\.json$/);
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
  const base = `http://127.0.0.1:${httpPort}/.well-known/acme-challenge/`;
  const get = async (part: string, host: string, method = "GET") =>
    (await ask(`${base}${part}`, { method, headers: { Host: host } })).text;
  expect(await get(token, "A.test:80")).toBe(`${token}.thumbprint`);
  expect(await get("token_1-3", "a.test")).toBe("a route");
  expect(await get(token, "b.test")).toBe("a route");
  expect(await get(token, "a.test", "POST")).toBe("a route");
  expect(await get(`${token}/`, "a.test")).toBe("a route");
  expect(await get(token, "..")).toBe("400 Bad Request: the request names no host");
  await undo();
  expect(await get(token, "a.test")).toBe("a route");
  await storage.store(sharedChallengeKey(issuerKey, "http-01", "a.test"), "half written");
  expect(await get(token, "a.test")).toBe("a route");
});

const question = { type: "http-01", name: "a.test", token: "t" } as const;

test.each([
  ["is no JSON", "{"],
  [
    "has no token",
    JSON.stringify({ type: "http-01", keyAuthorization: "t.x", identifier: { value: "a.test" } }),
  ],
  [
    "has the answer to another one",
    JSON.stringify({ type: "http-01", token: "t", keyAuthorization: "u.x", identifier: { value: "a.test" } }),
  ],
  ["is long", `{"token":"${"t".repeat(20_000)}"}`],
])("a stored challenge that %s is an error", async (_, text) => {
  await storage.store(sharedChallengeKey("ca", "http-01", "a.test"), text);
  await expect(findSharedChallenge("ca", { ...question, storage })).rejects.toThrow();
});

test("a stored challenge for another name or of another kind is none", async () => {
  for (const [type, name] of [
    ["http-01", "b.test"],
    ["tls-alpn-01", "a.test"],
  ] as const) {
    const started = { type, name, url: "https://ca.test/1", token: "t", keyAuthorization: "t.x" };
    await shareChallenge(storage, "ca", started);
    const key = sharedChallengeKey("ca", type, name);
    const text = (await storage.load(key)) ?? "";
    await storage.store(sharedChallengeKey("ca", "http-01", "a.test"), text);
    expect(await findSharedChallenge("ca", { ...question, storage })).toBeUndefined();
  }
});

test("names lead nowhere else", async () => {
  await mkdir(join(folder, "outside"), { recursive: true });
  await symlink(join(folder, "outside"), join(folder, "storage", "x")).catch(() => {});
  for (const name of ["../../../outside/a", "..", "/etc/passwd", "a/../../b", "\0", ".", "x\\..\\y"]) {
    expect(sharedChallengeKey("../../ca", "http-01", name)).toMatch(
      /^acme\/\.*ca\/challenge_tokens\/[\w@.-]*\.json$/,
    );
    await shareChallenge(storage, "../../ca", {
      ...{ type: "http-01", url: "https://ca.test/1", name, token: "t", keyAuthorization: "t.x" },
    });
  }
  expect(await readdir(join(folder, "outside"))).toEqual([]);
});
