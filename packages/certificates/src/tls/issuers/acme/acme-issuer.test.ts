import diagnostics from "node:diagnostics_channel";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigContext } from "server-core/modules/config-context";
import { ConfigScope } from "server-core/modules/config-scope";
import { freePorts } from "server-core/testing/free-ports";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { RunningServer } from "../../../../../admin-server/src/testing/running-server.ts";
import { makeKey } from "../../../material/key-pair.ts";
import { parseCertificates } from "../../../material/pem.ts";
import { FileSystemStorage } from "../../storage/file-system.ts";
import { type CertificateIssuer, type IssuedCertificate, issuers } from "../issuer.ts";

let running: RunningServer;
let httpPort: number;
let scope: ConfigScope;

/** Authorities that were asked for a certificate, in order. */
let orders: string[];
const watch = (message: unknown) => {
  const { path } = (message as { request: { path: string } }).request;
  const [, authority] = /^\/acme\/(\w+)\/new-order$/.exec(path) ?? [];
  if (authority !== undefined) {
    orders.push(authority);
  }
};

beforeAll(async () => {
  [httpPort = 0] = await freePorts(1);
  const names = ["real", "staging", "strict"];
  running = await RunningServer.start({
    apps: {
      pki: {
        certificate_authorities: Object.fromEntries(
          names.map((name) => [name, { name, install_trust: false }]),
        ),
      },
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            routes: names.map((ca) => ({
              match: [{ path: [`/acme/${ca}/*`] }],
              handle: [
                {
                  handler: "acme_server",
                  ca,
                  http_port: httpPort,
                  ...(ca === "strict" ? { policy: { deny: { domains: ["localhost"] } } } : {}),
                },
              ],
            })),
          },
        },
      },
    },
  });
});
afterAll(() => running.close());
beforeEach(() => {
  orders = [];
  scope = new ConfigScope(running.server.services);
  scope.storage = new FileSystemStorage(join(running.configFolder, "storage"));
  diagnostics.subscribe("undici:request:create", watch);
});
afterEach(async () => {
  diagnostics.unsubscribe("undici:request:create", watch);
  await scope.close();
});

const directory = (authority: string) => `${running.site}/acme/${authority}/directory`;

/** An issuer of the standard list, that asks the authority `real`. */
function issuerWith(config: object): Promise<CertificateIssuer> {
  const challenges = {
    bind_host: "127.0.0.1",
    http: { alternate_port: httpPort },
    "tls-alpn": { disabled: true },
  };
  const whole = { ca: directory("real"), challenges, ...config };
  return new ConfigContext(scope, "/config/test").load(issuers, "acme", whole, "0");
}

async function issue(issuer: CertificateIssuer, failures: number): Promise<IssuedCertificate> {
  const key = await makeKey("p256");
  const storage = new FileSystemStorage(join(running.configFolder, "storage"));
  return issuer.issue({ name: "localhost", key, signal: new AbortController().signal, failures, storage });
}

const authorityOf = ({ chainPem }: IssuedCertificate) => parseCertificates(chainPem, "chain")[0]?.issuer;

test("the first attempt goes to the authority itself", async () => {
  const issuer = await issuerWith({ test_ca: directory("strict") });
  expect(authorityOf(await issue(issuer, 0))).toContain("real");
  expect(orders).toEqual(["real"]);
});

test("after a failure the test authority issues first, and its certificate is thrown away", async () => {
  const issuer = await issuerWith({ test_ca: directory("staging") });
  const issued = await issue(issuer, 1);
  expect(orders).toEqual(["staging", "real"]);
  expect(authorityOf(issued)).toContain("real");
  expect(issued.data?.ca).toBe(directory("real"));
  const stored = await readdir(join(running.configFolder, "storage", "acme"), { recursive: true });
  const accounts = stored.filter((path) => path.endsWith(".key"));
  for (const authority of ["staging", "real"]) {
    expect(accounts.filter((path) => path.includes(`-acme-${authority}-directory/`))).toHaveLength(1);
  }
});

test("an attempt that fails at the test authority does not reach the real one", async () => {
  const issuer = await issuerWith({ test_ca: directory("strict") });
  await expect(issue(issuer, 2)).rejects.toThrow(
    /^tried out at 127\.0\.0\.1:\d+-acme-strict-directory: .*rejectedIdentifier/,
  );
  expect(orders).toEqual(["strict"]);
});

test("without a test authority every attempt goes to the authority itself", async () => {
  const issued = await issue(await issuerWith({}), 3);
  expect([orders, authorityOf(issued)]).toEqual([["real"], expect.stringContaining("real")]);
});

test("a directory that is no URL is refused", async () => {
  await expect(issuerWith({ test_ca: "staging" })).rejects.toThrow(/test_ca/);
});
