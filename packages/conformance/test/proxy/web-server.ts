import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";

/** The web server as a process, with one site. */
export interface WebServer {
  /** `host:port` of the site. */
  readonly address: string;
  readonly process: TestedProcess;
  /** Loads another config of the site. */
  load(server: object): Promise<void>;
  close(): Promise<void>;
}

/** @param server server in the config, without its address */
export async function startWebServer(server: object): Promise<WebServer> {
  const folder = mkdtempSync(join(tmpdir(), "web-server-"));
  const [address = "", admin = ""] = await freeAddresses(2);
  const config = (each: object) => ({
    // The server's authority is only for these tests, so it must not be installed in the system.
    apps: {
      http: { servers: { s: { listen: [address], ...each } } },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  });
  const file = join(folder, "server.json");
  writeFileSync(file, JSON.stringify(config(server)));
  const backend = new TestedProcess(
    "admin-server",
    "admin-server/bin/server.ts",
    ["run", "--config", file],
    `http://${admin}/config/`,
    {
      SERVER_ADMIN: admin,
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_DATA_HOME: join(folder, "data"),
    },
  );
  await backend.start();
  return {
    address,
    process: backend,
    async load(each) {
      const answer = await fetch(`http://${admin}/load`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Origin: `http://${admin}` },
        body: JSON.stringify(config(each)),
      });
      if (!answer.ok) {
        throw new Error(`POST /load: ${answer.status} ${await answer.text()}`);
      }
    },
    async close() {
      await backend.end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A site without TLS that accepts HTTP/2 with prior knowledge. */
export function plainSite(...handle: object[]): object {
  return { protocols: ["h1", "h2", "h2c"], automatic_https: { disable: true }, routes: [{ handle }] };
}
