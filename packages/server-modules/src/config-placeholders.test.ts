// Where Caddy 2.11.9 replaces placeholders while it sets a config up: every use of its replacer outside
// requests, and what this server does there. Uses within requests: ../http/replaced-texts.test.ts.
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTestAuthority } from "lifecycle/testing";
import { ask } from "server-core/testing/ask";
import { askTls } from "server-core/testing/ask-tls";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { RunningServer, respond, siteConfig } from "../../admin-server/src/testing/running-server.ts";

const authority = createTestAuthority();
const { cert, key } = authority.issue("site.example", "127.0.0.1");
const hash = "$2b$04$abcdefghijklmnopqrstuuw2Cq9l5QF3TnJ0lqgk6lVxZ3pNWl8qa";

let running: RunningServer;
/** Paths of files that are there. */
const there = { cert: "", key: "", folder: "" };
beforeAll(async () => {
  running = await RunningServer.start();
  there.folder = join(running.configFolder, "pems");
  there.cert = join(running.configFolder, "site.crt");
  there.key = join(running.configFolder, "site.key");
  const stored = join(running.configFolder, "data/server/mine");
  await Promise.all([there.folder, stored].map((folder) => mkdir(folder, { recursive: true })));
  await Promise.all([
    writeFile(there.cert, cert),
    writeFile(there.key, key),
    writeFile(join(there.folder, "both.pem"), cert + key),
    writeFile(join(stored, "c.crt"), cert),
    writeFile(join(stored, "c.key"), key),
  ]);
});
afterAll(() => running.close());
afterEach(() => vi.unstubAllEnvs());

const tls = (app: object, policy: object = {}, match: object = {}) => ({
  apps: {
    tls: app,
    http: {
      servers: {
        s: {
          listen: ["127.0.0.1:0"],
          tls_connection_policies: [policy],
          automatic_https: { disable: true },
          routes: [{ match: [match], ...(respond("in") as object) }],
        },
      },
    },
  },
});
const policyOf = (policy: object) =>
  tls({ automation: { policies: [{ subjects: ["a.example"], ...policy }] } });
const acme = (fields: object) => policyOf({ issuers: [{ module: "acme", ...fields }] });
const log = (fields: object) => ({ logging: { logs: { default: fields } } });
const clientAuth = (fields: object) => tls({}, { client_authentication: fields });
const leaf = (loader: object) =>
  clientAuth({ verifiers: [{ verifier: "leaf", leaf_certs_loaders: [loader] }] });
const site = (match: object, more: object = {}) => {
  const config = siteConfig({ match: [match], ...(respond("in") as object) }) as {
    apps: { http: { servers: { s: object } } };
  };
  Object.assign(config.apps.http.servers.s, more);
  return config;
};
const account = (username: string, password: string) =>
  siteConfig({
    handle: [
      { handler: "authentication", providers: { http_basic: { accounts: [{ username, password }] } } },
    ],
  });

/** A field whose right and wrong values make a config that is taken, and one that is refused. */
interface Row {
  /** File and function of Caddy. */
  readonly model: string;
  readonly config: (text: string) => unknown;
  readonly right: () => string;
  readonly wrong: string;
  /** Part of the refusal; the wrong value when absent. */
  readonly refusal?: string;
  /** A placeholder that is unknown or empty is refused, not taken as nothing. */
  readonly strict?: boolean;
}

const rows: Readonly<Record<string, Row>> = {
  "listen: host": {
    model: "caddyhttp/app.go Provision",
    config: (text) => site({}, { listen: [`${text}:0`] }),
    right: () => "127.0.0.1",
    wrong: "a b",
    strict: true,
  },
  "listen: port": {
    model: "caddyhttp/app.go Provision",
    config: (text) => site({}, { listen: [`127.0.0.1:${text}`] }),
    right: () => "0",
    wrong: "http",
    strict: true,
  },
  "admin.listen": {
    model: "admin.go parseAdminListenAddr",
    config: (text) => ({ admin: { listen: text } }),
    right: () => "127.0.0.1:0",
    wrong: "nowhere:x",
    strict: true,
  },
  "admin.remote.listen": {
    model: "admin.go parseAdminListenAddr",
    config: (text) => ({
      admin: {
        identity: {
          identifiers: ["site.example"],
          certificates: [{ certificate: there.cert, key: there.key }],
        },
        remote: { listen: text },
      },
    }),
    right: () => "127.0.0.1:0",
    wrong: "nowhere:x",
    strict: true,
  },
  remote_ip: {
    model: "caddyhttp/ip_matchers.go provisionCidrsZonesFromRanges",
    config: (text) => site({ remote_ip: { ranges: [text] } }),
    right: () => "10.0.0.0/8",
    wrong: "10.0.0.0/99",
  },
  client_ip: {
    model: "caddyhttp/ip_matchers.go provisionCidrsZonesFromRanges",
    config: (text) => site({ client_ip: { ranges: [text] } }),
    right: () => "::1",
    wrong: "::x",
  },
  "http_basic: username": {
    model: "caddyauth/basicauth.go Provision",
    config: (text) => account(text, hash),
    right: () => "anna",
    wrong: "",
    refusal: "username and password are required",
  },
  "http_basic: password": {
    model: "caddyauth/basicauth.go Provision",
    config: (text) => account("anna", text),
    right: () => hash,
    wrong: "",
    refusal: "username and password are required",
  },
  "writer file: filename": {
    model: "logging/filewriter.go Provision",
    config: (text) => log({ writer: { output: "file", filename: text } }),
    right: () => join(there.folder, "a.log"),
    wrong: "",
    refusal: "is empty",
    strict: true,
  },
  "writer net: address": {
    model: "logging/netwriter.go Provision",
    config: (text) => log({ writer: { output: "net", address: text, soft_start: true } }),
    right: () => "127.0.0.1:1",
    wrong: "sctp/x",
    strict: true,
  },
  "log: level": {
    model: "logging.go parseLevel",
    config: (text) => log({ level: text }),
    right: () => "WARN",
    wrong: "loud",
    strict: true,
  },
  "load_files: certificate": {
    model: "caddytls/fileloader.go Provision",
    config: (text) => tls({ certificates: { load_files: [{ certificate: text, key: there.key }] } }),
    right: () => there.cert,
    wrong: "/no/such.crt",
  },
  "load_files: key": {
    model: "caddytls/fileloader.go Provision",
    config: (text) => tls({ certificates: { load_files: [{ certificate: there.cert, key: text }] } }),
    right: () => there.key,
    wrong: "/no/such.key",
  },
  load_folders: {
    model: "caddytls/folderloader.go Provision",
    config: (text) => tls({ certificates: { load_folders: [text] } }),
    right: () => there.folder,
    wrong: "/no/such/folder",
  },
  "load_pem: certificate": {
    model: "caddytls/pemloader.go Provision",
    config: (text) => tls({ certificates: { load_pem: [{ certificate: text, key }] } }),
    right: () => cert,
    wrong: "no PEM",
    refusal: "load_pem 0",
  },
  "load_pem: key": {
    model: "caddytls/pemloader.go Provision",
    config: (text) => tls({ certificates: { load_pem: [{ certificate: cert, key: text }] } }),
    right: () => key,
    wrong: "no PEM",
    refusal: "load_pem 0",
  },
  "load_storage: certificate": {
    model: "caddytls/storageloader.go Provision",
    config: (text) =>
      tls({ certificates: { load_storage: { pairs: [{ certificate: text, key: "mine/c.key" }] } } }),
    right: () => "mine/c.crt",
    wrong: "mine/other.crt",
  },
  "load_storage: key": {
    model: "caddytls/storageloader.go Provision",
    config: (text) =>
      tls({ certificates: { load_storage: { pairs: [{ certificate: "mine/c.crt", key: text }] } } }),
    right: () => "mine/c.key",
    wrong: "mine/other.key",
  },
  key_type: {
    model: "caddytls/automation.go makeCertMagicConfig",
    config: (text) => policyOf({ key_type: text }),
    right: () => "p384",
    wrong: "dsa",
    strict: true,
  },
  "on_demand.ask": {
    model: "caddytls/tls.go Provision",
    config: (text) => tls({ automation: { on_demand: { ask: text } } }),
    right: () => "http://127.0.0.1:1/",
    wrong: "",
    refusal: "is empty",
    strict: true,
  },
  "acme: ca": {
    model: "caddytls/acmeissuer.go Provision",
    config: (text) => acme({ ca: text }),
    right: () => "https://127.0.0.1:1/d",
    wrong: "no url",
    strict: true,
  },
  "acme: test_ca": {
    model: "caddytls/acmeissuer.go Provision",
    config: (text) => acme({ test_ca: text }),
    right: () => "https://127.0.0.1:1/d",
    wrong: "no url",
    strict: true,
  },
  "acme: email": {
    model: "caddytls/acmeissuer.go Provision",
    config: (text) => acme({ email: text }),
    right: () => "a@example.com",
    wrong: "",
    refusal: "is empty",
    strict: true,
  },
  "acme: account_key": {
    model: "caddytls/acmeissuer.go Provision",
    config: (text) => acme({ account_key: text }),
    right: () => key,
    wrong: "",
    refusal: "is empty",
    strict: true,
  },
  "acme: external_account.key_id": {
    model: "caddytls/acmeissuer.go Provision",
    config: (text) => acme({ external_account: { key_id: text, mac_key: "aaaa" } }),
    right: () => "me",
    wrong: "",
    refusal: "is empty",
    strict: true,
  },
  "acme: external_account.mac_key": {
    model: "caddytls/acmeissuer.go Provision",
    config: (text) => acme({ external_account: { key_id: "me", mac_key: text } }),
    right: () => "aaaa",
    wrong: "",
    refusal: "is empty",
    strict: true,
  },
  "zerossl: api_key": {
    model: "caddytls/zerosslissuer.go Provision",
    config: (text) => policyOf({ issuers: [{ module: "zerossl", api_key: text }] }),
    right: () => "secret",
    wrong: "",
    refusal: "api_key is empty",
  },
  "handshake remote_ip: ranges": {
    model: "caddytls/matchers.go MatchRemoteIP",
    config: (text) => tls({}, { match: { remote_ip: { ranges: [text] } } }),
    right: () => "::1",
    wrong: "::x",
  },
  "handshake remote_ip: not_ranges": {
    model: "caddytls/matchers.go MatchRemoteIP",
    config: (text) => tls({}, { match: { remote_ip: { not_ranges: [text] } } }),
    right: () => "::1",
    wrong: "::x",
  },
  "handshake local_ip": {
    model: "caddytls/matchers.go MatchLocalIP",
    config: (text) => tls({}, { match: { local_ip: { ranges: [text] } } }),
    right: () => "::1",
    wrong: "::x",
  },
  "handshake sni_regexp": {
    model: "caddytls/matchers.go MatchServerNameRE",
    config: (text) => tls({}, { match: { sni_regexp: { pattern: text } } }),
    right: () => "^a",
    wrong: "(",
    refusal: "missing",
  },
  "leaf loader file": {
    model: "caddytls/leaffileloader.go Provision",
    config: (text) => leaf({ loader: "file", files: [text] }),
    right: () => there.cert,
    wrong: "/no/such.crt",
  },
  "leaf loader folder": {
    model: "caddytls/leaffolderloader.go Provision",
    config: (text) => leaf({ loader: "folder", folders: [text] }),
    right: () => there.folder,
    wrong: "/no/such/folder",
  },
  "leaf loader pem": {
    model: "caddytls/leafpemloader.go Provision",
    config: (text) => leaf({ loader: "pem", certificates: [text] }),
    right: () => cert,
    wrong: "no PEM",
    refusal: "certificates 0",
  },
  "leaf loader storage": {
    model: "caddytls/leafstorageloader.go Provision",
    config: (text) => leaf({ loader: "storage", certificates: [text] }),
    right: () => "mine/c.crt",
    wrong: "mine/other.crt",
  },
  "client CA pem_files": {
    model: "caddytls/capools.go FileCAPool, which does not",
    config: (text) => clientAuth({ ca: { provider: "file", pem_files: [text] } }),
    right: () => there.cert,
    wrong: "/no/such.crt",
  },
  "auto HTTPS names": {
    model: "caddyhttp/autohttps.go automaticHTTPSPhase1",
    config: (text) => ({
      apps: {
        http: {
          servers: {
            s: {
              listen: ["127.0.0.1:8443"],
              routes: [{ match: [{ host: [text] }], ...(respond("in") as object) }],
            },
          },
        },
      },
    }),
    right: () => "a.localhost",
    wrong: "",
    refusal: "is empty",
  },
};

describe("a placeholder in the config", () => {
  test.each(Object.entries(rows))("%s", async (_field, { config, right, wrong, refusal, strict }) => {
    vi.stubEnv("PH_RIGHT", right());
    vi.stubEnv("PH_WRONG", wrong);
    vi.stubEnv("PH_EMPTY", "");
    const judge = async (text: string) => {
      const { status, error } = await running.admin("POST", "/validate", config(text));
      return { status, error };
    };
    expect(await judge("{env.PH_RIGHT}")).toEqual({ status: 200, error: "" });
    expect(await judge("{env.PH_WRONG}")).toEqual({
      status: 400,
      error: expect.stringContaining(refusal ?? wrong),
    });
    if (strict === true) {
      expect((await judge("{env.PH_EMPTY}")).error).toContain(
        "evaluated placeholder {env.PH_EMPTY} is empty",
      );
      expect((await judge("{no.such}")).error).toContain("unrecognized placeholder {no.such}");
    }
  });
});

async function load(config: unknown): Promise<void> {
  const { status, error } = await running.admin("POST", "/load", config);
  expect({ status, error }).toEqual({ status: 200, error: "" });
}

describe("is filled in where it counts", () => {
  test("listeners, names of sites, automated names, subjects, handshake names, tags", async () => {
    vi.stubEnv("PH_HOST", "127.0.0.1");
    vi.stubEnv("PH_SITE", "Site.Localhost");
    vi.stubEnv("PH_OTHER", "other.localhost");
    vi.stubEnv("PH_TAG", "mine");
    const issuers = [{ module: "internal" }];
    await load({
      apps: {
        tls: {
          certificates: {
            automate: ["{env.PH_OTHER}"],
            load_files: [{ certificate: there.cert, key: there.key, tags: ["{env.PH_TAG}"] }],
          },
          automation: {
            policies: [{ subjects: ["{env.PH_SITE}", "{env.PH_OTHER}"], issuers, key_type: "p384" }],
          },
        },
        http: {
          servers: {
            s: {
              listen: ["{env.PH_HOST}:0"],
              automatic_https: { disable_redirects: true },
              tls_connection_policies: [
                { match: { sni: ["site.example"] }, certificate_selection: { any_tag: ["mine"] } },
                { match: { sni: ["{env.PH_OTHER}", "site.localhost"] } },
              ],
              routes: [
                {
                  match: [{ host: ["{env.PH_SITE}", "{env.PH_OTHER}", "site.example"] }],
                  ...(respond("in") as object),
                },
              ],
            },
          },
        },
      },
    });
    const names = ["site.localhost", "other.localhost", "site.example"];
    const shown = await Promise.all(
      names.map((servername) => askTls(running.site, { servername, rejectUnauthorized: false })),
    );
    expect(shown.map(({ text, certificate }) => [text, certificate])).toEqual([
      ["in", "DNS:site.localhost"],
      ["in", "DNS:other.localhost"],
      ["in", "DNS:site.example, IP Address:127.0.0.1"],
    ]);
  });

  test("common names of authorities, with the name of the authority", async () => {
    vi.stubEnv("PH_COMPANY", "Example");
    await load({
      apps: {
        pki: {
          certificate_authorities: {
            own: {
              name: "Own",
              install_trust: false,
              root_common_name: "{env.PH_COMPANY} {pki.ca.name} Root",
              intermediate_common_name: "{env.PH_COMPANY}{no.such} Intermediate",
            },
          },
        },
      },
    });
    expect(JSON.parse((await running.admin("GET", "/pki/ca/own")).text)).toMatchObject({
      root_common_name: "Example Own Root",
      intermediate_common_name: "Example Intermediate",
    });
  });

  test("an admin address, ranges of addresses and accounts", async () => {
    vi.stubEnv("PH_HOST", "127.0.0.1");
    vi.stubEnv("PH_PORT", "0");
    const config = site({ remote_ip: { ranges: ["{env.PH_HOST}"] } }) as { admin?: object };
    config.admin = { listen: "{env.PH_HOST}:{env.PH_PORT}" };
    await load(config);
    expect((await ask(running.site)).text).toBe("in");
    expect((await running.admin("GET", "/config/admin/listen")).text).toBe('"{env.PH_HOST}:{env.PH_PORT}"\n');
  });

  describe("with a service", () => {
    let service: Server;
    let url: string;
    const seen: { target: string | undefined; method: string | undefined; token: unknown }[] = [];
    beforeAll(async () => {
      service = createServer(({ url: target, method, headers }, response) => {
        seen.push({ target, method, token: headers["x-token"] });
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(siteConfig(respond("pulled"))));
      });
      service.listen(0, "127.0.0.1");
      await once(service, "listening");
      url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    });
    afterAll(() => void service.close());

    test("that is asked for permission", async () => {
      vi.stubEnv("PH_URL", url);
      const app = {
        automation: {
          on_demand: { permission: { module: "http", endpoint: "{env.PH_URL}/ask" } },
          policies: [{ on_demand: true, issuers: [{ module: "internal" }] }],
        },
      };
      await load(tls(app, {}));
      await askTls(running.site, { servername: "demand.example", rejectUnauthorized: false });
      expect(seen.map(({ target }) => target)).toContain("/ask?domain=demand.example");
    });

    test("that a config is pulled from", async () => {
      vi.stubEnv("PH_URL", url);
      vi.stubEnv("PH_TOKEN", "secret");
      const source = {
        module: "http",
        url: "{env.PH_URL}/config",
        method: "{env.PH_METHOD}",
        header: { "X-Token": ["{env.PH_TOKEN}"] },
      };
      await load({ admin: { config: { load: source } } });
      await vi.waitFor(async () => expect((await ask(running.site)).text).toBe("pulled"), {
        timeout: 60_000,
      });
      expect(seen).toContainEqual({ target: "/config", method: "GET", token: "secret" });
    });
  });
});
