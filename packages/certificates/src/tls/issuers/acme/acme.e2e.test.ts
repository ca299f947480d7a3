import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askTls } from "server-core/testing/ask-tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServerProcess } from "../../../../../admin-server/src/testing/server-process.ts";
import { hasNamed, Named } from "../../../testing/named.ts";
import { hasPebble, Pebble } from "../../../testing/pebble.ts";

const time = 60_000;
let folder: string;
let server: ServerProcess | undefined;
let pebble: Pebble | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "acme-"));
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.exit;
  await pebble?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a site for a name; pebble issues its certificate. */
async function serve(
  authority: Pebble,
  name: string,
  issuers: object[],
  workers = "0",
  automation: object = {},
  tls: object = {},
): Promise<ServerProcess> {
  const config = {
    admin: { listen: "127.0.0.1:0" },
    apps: {
      http: {
        http_port: authority.httpPort,
        https_port: authority.tlsPort,
        servers: {
          s: {
            listen: [`127.0.0.1:${authority.tlsPort}`],
            routes: [{ match: [{ host: [name] }], handle: [{ handler: "static_response", body: "secure" }] }],
          },
        },
      },
      tls: { ...tls, automation: { ...automation, policies: [{ issuers }] } },
    },
  };
  const file = join(folder, "config.json");
  await writeFile(file, JSON.stringify(config));
  server = new ServerProcess(["run", "--config", file], { XDG_CONFIG_HOME: folder, SERVER_WORKERS: workers });
  return server;
}

const issuer = (authority: Pebble, challenges: object = {}) => ({
  module: "acme",
  ca: authority.directory,
  email: "admin@example.test",
  trusted_roots_pem_files: [authority.rootFile],
  challenges,
});

describe.skipIf(!hasPebble)("certificates from an authority that speaks ACME (pebble)", () => {
  test.each([
    ["HTTP-01", { "tls-alpn": { disabled: true } }, "2"],
    ["TLS-ALPN-01", { http: { disabled: true } }, "2"],
  ])(
    "by %s, answered by the site itself",
    async (_, challenges, workers) => {
      pebble = await Pebble.start(folder);
      const running = await serve(pebble, "a.example.test", [issuer(pebble, challenges)], workers);
      await running.logged(/^certificate for a\.example\.test obtained from/);
      const base = `https://127.0.0.1:${pebble.tlsPort}`;
      const answer = await askTls(base, { servername: "a.example.test", rejectUnauthorized: false });
      expect([answer.text, answer.certificate]).toEqual(["secure", "DNS:a.example.test"]);
      const stored = await readdir(join(folder, "data/server"), { recursive: true });
      expect(
        stored
          .filter((path) => /\.(crt|key|json)$/.test(path))
          .map((path) => path.replace(/.*\//, ""))
          .sort(),
      ).toEqual(
        expect.arrayContaining([
          "a.example.test.crt",
          "a.example.test.json",
          "a.example.test.key",
          "admin.key",
        ]),
      );
    },
    time,
  );

  test(
    "by DNS-01, with a program that changes the zone, for a wildcard",
    async () => {
      pebble = await Pebble.start(folder);
      const script = join(folder, "zone.mjs");
      await writeFile(
        script,
        `const [action, name, value] = process.argv.slice(2);
         const path = action === "present" ? "/set-txt" : "/clear-txt";
         const answer = await fetch(${JSON.stringify(pebble.dnsManagement)} + path, { method: "POST", body: JSON.stringify({ host: name + ".", value }) });
         process.exit(answer.ok ? 0 : 1);`,
      );
      const dns = { provider: { name: "exec", command: [process.execPath, script] } };
      const resolvers = [`udp/${pebble.dns}`];
      const running = await serve(
        pebble,
        "*.example.test",
        [issuer(pebble, { dns })],
        "0",
        {},
        { resolvers },
      );
      await running.logged(/^certificate for \*\.example\.test obtained from/);
      const base = `https://127.0.0.1:${pebble.tlsPort}`;
      const answer = await askTls(base, { servername: "b.example.test", rejectUnauthorized: false });
      expect([answer.text, answer.certificate]).toEqual(["secure", "DNS:*.example.test"]);
    },
    time,
  );

  test.skipIf(!hasNamed)(
    "by DNS-01, with a name server that takes signed updates (needs BIND's named)",
    async () => {
      const named = await Named.start();
      try {
        pebble = await Pebble.start(folder, {}, named.address);
        const key = { key_name: named.keyName, key_alg: "hmac-sha256", key: named.key };
        const tls = { resolvers: [named.address], dns: { name: "rfc2136", server: named.address, ...key } };
        const running = await serve(
          pebble,
          "*.sub.example.test",
          [issuer(pebble, { dns: {} })],
          "0",
          {},
          tls,
        );
        await running.logged(/^certificate for \*\.sub\.example\.test obtained from/);
        const base = `https://127.0.0.1:${pebble.tlsPort}`;
        const answer = await askTls(base, { servername: "b.sub.example.test", rejectUnauthorized: false });
        expect([answer.text, answer.certificate]).toEqual(["secure", "DNS:*.sub.example.test"]);
        await expect
          .poll(() => named.texts("_acme-challenge.sub.example.test"), { timeout: 60_000 })
          .toEqual([]);
      } finally {
        await named.close();
      }
    },
    time,
  );

  test(
    "are renewed when the authority wants it, long before they end",
    async () => {
      pebble = await Pebble.start(folder);
      const running = await serve(pebble, "a.example.test", [issuer(pebble)]);
      await running.logged(/^certificate for a\.example\.test obtained from/);
      const base = `https://127.0.0.1:${pebble.tlsPort}`;
      const shown = () => askTls(base, { servername: "a.example.test", rejectUnauthorized: false });
      const before = (await shown()).serial;
      const stored = await readdir(join(folder, "data/server/certificates"), { recursive: true });
      const [path = ""] = stored.filter((each) => each.endsWith(".crt"));
      const chain = await readFile(join(folder, "data/server/certificates", path), "utf8");
      await pebble.wantRenewal(new X509Certificate(chain).toString());
      // Another instance finds the certificate in the storage, and asks.
      running.child.kill("SIGKILL");
      await running.exit;
      const another = await serve(pebble, "a.example.test", [issuer(pebble)], "0", {
        renew_interval: "50ms",
      });
      await another.logged(/^certificate for a\.example\.test obtained from/);
      expect((await shown()).serial).not.toBe(before);
      expect(another.lines.filter((line) => line.includes("obtained from"))).toHaveLength(1);
    },
    time,
  );

  test(
    "are asked for with an external account where the authority wants one, and elsewhere when one refuses",
    async () => {
      const macKey = Buffer.alloc(32, 7).toString("base64url");
      pebble = await Pebble.start(folder, {
        externalAccountBindingRequired: true,
        externalAccountMACKeys: { "kid-1": macKey },
      });
      const refused = issuer(pebble);
      const good = { ...issuer(pebble), external_account: { key_id: "kid-1", mac_key: macKey } };
      const running = await serve(pebble, "a.example.test", [refused, good]);
      await running.logged(/^certificate for a\.example\.test obtained from/);
      expect(running.stderr).not.toContain(macKey);
    },
    time,
  );

  test(
    "that are refused, or whose authority is away, cost one line for each attempt, and the site serves on",
    async () => {
      pebble = await Pebble.start(folder);
      const away = { ...issuer(pebble), ca: "https://127.0.0.1:9/dir" };
      const running = await serve(pebble, "blocked.example.test", [away, issuer(pebble)]);
      const line = await running.logged(/^certificate for blocked\.example\.test: .*/);
      expect(line).toMatch(
        /127\.0\.0\.1:9-dir: .*ECONNREFUSED.*; .*rejectedIdentifier.*attempt 1, next in 60 s$/,
      );
      const base = `https://127.0.0.1:${pebble.tlsPort}`;
      await expect(askTls(base, { servername: "blocked.example.test" })).rejects.toThrow(
        "alert internal error",
      );
      expect(running.lines.filter((each) => each.startsWith("certificate for"))).toHaveLength(1);
      expect(running.child.exitCode).toBeNull();
    },
    time,
  );
});
