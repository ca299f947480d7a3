import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ask } from "server-core/testing/ask";
import { askTls } from "server-core/testing/ask-tls";
import { freePorts } from "server-core/testing/free-ports";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServerProcess } from "../../../../admin-server/src/testing/server-process.ts";

const time = 60_000;
const { PEERS = "" } = process.env;
const caddy = join(PEERS, "caddy");

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "acme-server-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) {
      await once(child, "close");
    }
  }
  await rm(folder, { recursive: true, force: true });
});

/** Starts a server with a config and a new folder. */
async function serve(name: string, config: object, workers = "0"): Promise<ServerProcess> {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  const file = join(home, "config.json");
  await writeFile(file, JSON.stringify({ admin: { listen: "127.0.0.1:0" }, ...config }));
  const server = new ServerProcess(["run", "--config", file], {
    XDG_CONFIG_HOME: home,
    SERVER_WORKERS: workers,
  });
  children.push(server.child);
  return server;
}

/** Starts a CA in a separate server. @returns URL of its directory, and its root */
async function authority(ports: object): Promise<{ directory: string; root: string }> {
  const routes = [{ handle: [{ handler: "acme_server", ...ports }] }];
  const pki = { certificate_authorities: { local: { install_trust: false } } };
  const http = { servers: { s: { listen: ["127.0.0.1:0"], routes } } };
  const server = await serve("authority", { apps: { pki, http } }, "2");
  const { text } = await ask(`${await server.adminUrl()}/pki/ca/local`);
  return {
    directory: `${await server.site()}/acme/local/directory`,
    root: JSON.parse(text).root_certificate,
  };
}

function site(httpPort: number, tlsPort: number, issuer: object): object {
  return {
    http: {
      http_port: httpPort,
      https_port: tlsPort,
      servers: {
        s: {
          listen: [`127.0.0.1:${tlsPort}`],
          routes: [
            { match: [{ host: ["localhost"] }], handle: [{ handler: "static_response", body: "secure" }] },
          ],
        },
      },
    },
    tls: {
      automation: { policies: [{ subjects: ["localhost"], issuers: [{ module: "acme", ...issuer }] }] },
    },
  };
}

describe("an authority of the server's own issues by ACME", () => {
  test(
    "to a server of ours, by HTTP-01, then by TLS-ALPN-01",
    async () => {
      // Both tests share one CA and one client, because a process with two worker threads takes seconds of CPU time to
      // start.
      const [httpPort = 0, tlsPort = 0] = await freePorts(2);
      const { directory, root } = await authority({ http_port: httpPort, tls_alpn_port: tlsPort });
      const by = (name: string, challenges: object) => ({
        // A storage without certificates: each challenge type must obtain its own.
        storage: { module: "file_system", root: join(folder, name) },
        apps: site(httpPort, tlsPort, { ca: directory, challenges }),
      });
      const shown = async () => {
        const answer = await askTls(`https://127.0.0.1:${tlsPort}`, { servername: "localhost", ca: root });
        expect([answer.text, answer.certificate]).toEqual(["secure", "DNS:localhost"]);
      };
      const client = await serve("site", by("by-http", { "tls-alpn": { disabled: true } }), "2");
      await client.logged(/^certificate for localhost obtained from/);
      await shown();
      const admin = await client.adminUrl();
      client.lines.length = 0;
      const config = {
        admin: { listen: "127.0.0.1:0" },
        ...by("by-tls-alpn", { http: { disabled: true } }),
      };
      const answer = await ask(`${admin}/load`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(config),
      });
      expect([answer.status, answer.text]).toEqual([200, ""]);
      await client.logged(/^certificate for localhost obtained from/);
      await shown();
    },
    time,
  );

  test.skipIf(PEERS === "" || !existsSync(caddy))(
    "to the public model (skipped where it is not built)",
    async () => {
      const [httpPort = 0, tlsPort = 0] = await freePorts(2);
      const { directory, root } = await authority({ http_port: httpPort, tls_alpn_port: tlsPort });
      const file = join(folder, "caddy.json");
      const pki = { certificate_authorities: { local: { install_trust: false } } };
      const apps = { ...site(httpPort, tlsPort, { ca: directory }), pki };
      await writeFile(file, JSON.stringify({ admin: { disabled: true }, apps }));
      const { PATH = "" } = process.env;
      const child = spawn(caddy, ["run", "--config", file], {
        env: { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        stdio: ["ignore", "ignore", "pipe"],
      });
      children.push(child);
      for await (const line of createInterface(child.stderr)) {
        if (line.includes("certificate obtained successfully")) {
          break;
        }
      }
      child.stderr.resume();
      // The server logs this before it uses the certificate.
      await vi.waitFor(
        async () => {
          const answer = await askTls(`https://127.0.0.1:${tlsPort}`, { servername: "localhost", ca: root });
          expect([answer.text, answer.certificate]).toEqual(["secure", "DNS:localhost"]);
        },
        { timeout: 180_000 },
      );
    },
    time,
  );
});
