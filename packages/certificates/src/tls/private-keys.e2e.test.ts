import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { askTls } from "server-core/testing/ask-tls";
import { freePorts } from "server-core/testing/free-ports";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServerProcess } from "../../../admin-server/src/testing/server-process.ts";

let folder: string;
let server: ServerProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "private-keys-"));
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.exit;
  await rm(folder, { recursive: true, force: true });
});

test("private keys are for their owner only, and in no log and no answer", async () => {
  const [port = 0] = await freePorts(1);
  const routes = [{ match: [{ host: ["localhost"] }], handle: [{ handler: "acme_server" }] }];
  const config = {
    admin: { listen: "127.0.0.1:0" },
    apps: {
      http: {
        https_port: port,
        http_port: 1,
        servers: {
          s: { listen: [`127.0.0.1:${port}`], automatic_https: { disable_redirects: true }, routes },
        },
      },
    },
  };
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  server = new ServerProcess(["run", "--config", join(folder, "config.json"), "--log-level", "trace"], {
    XDG_CONFIG_HOME: folder,
  });
  const admin = await server.adminUrl();
  const site = `https://127.0.0.1:${port}`;
  const options = { servername: "localhost", rejectUnauthorized: false };
  const told = [(await askTls(site, { ...options, target: "/acme/local/directory" })).text];
  await askTls(site, { ...options, servername: "nobody.example" }).catch(() => {});
  for (const path of ["/config/", "/pki/ca/local", "/pki/ca/local/certificates", "/metrics", "/history"]) {
    told.push((await ask(`${admin}${path}`)).text);
  }
  const stored = join(folder, "data/server");
  const keys = (await readdir(stored, { recursive: true })).filter((path) => path.endsWith(".key"));
  expect(keys.map((path) => path.replace(/.*\//, "")).sort()).toEqual([
    "intermediate.key",
    "localhost.key",
    "root.key",
  ]);
  for (const path of keys) {
    expect(((await stat(join(stored, path))).mode & 0o777).toString(8)).toBe("600");
    const body = (await readFile(join(stored, path), "utf8"))
      .split("\n")
      .filter((line) => /^[\w+/=]{20,}$/.test(line));
    expect(body.length).toBeGreaterThan(1);
    for (const line of body) {
      expect(server.stderr + server.stdout + told.join("\n")).not.toContain(line);
    }
  }
});
