import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ask } from "server-core/testing/ask";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { respond } from "../testing/running-server.ts";

const source = fileURLToPath(new URL("../../bin/server.ts", import.meta.url));
const built = fileURLToPath(new URL("../../dist/server.cjs", import.meta.url));

/** A handler that ends its thread as an unforeseen error would. */
const fatalHandler = `import { defineModule, z } from "admin-server/module";
export default defineModule({
  id: "http.handlers.fatal",
  config: z.strictObject({}),
  provision: () => ({ handle: () => process.exit(9) }),
});`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "given-socket-"));
});
afterAll(() => rm(folder, { recursive: true }));

let child: ChildProcess | undefined;
let exit: Promise<unknown[]> | undefined;
afterEach(async () => {
  child?.kill("SIGKILL");
  await exit;
});

async function listen(): Promise<{ server: Server; port: number; fd: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle;
  return { server, port, fd };
}

/** Runs a server with two sockets of this process: 3 for the admin endpoint, 4 for sites. @returns their ports */
async function run(
  program: string,
  args: string[] = [],
  environment: Record<string, string> = {},
): Promise<{ admin: string; site: string }> {
  const [admin, site] = [await listen(), await listen()];
  const { PATH } = process.env;
  child = spawn(process.execPath, [program, "run", ...args], {
    env: {
      PATH,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
      SERVER_ADMIN: "fd/3",
      SERVER_SKIP_INSTALL_TRUST: "1",
      ...environment,
    },
    stdio: ["ignore", "ignore", "pipe", admin.fd, site.fd],
  });
  exit = once(child, "close");
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
  for await (const line of lines) {
    if (/ runs"/.test(line)) {
      break;
    }
  }
  child.stderr?.resume();
  // From now on the child alone listens.
  admin.server.close();
  site.server.close();
  return { admin: `http://127.0.0.1:${admin.port}`, site: `http://127.0.0.1:${site.port}` };
}

async function configFile(config: unknown): Promise<string> {
  const file = join(folder, "site.json");
  await writeFile(file, JSON.stringify(config));
  return file;
}

const sites = (...routes: unknown[]) => ({
  apps: { http: { servers: { s: { listen: ["fd/4"], routes } } } },
});

describe.each([
  ["from its sources", source, true],
  ["as it is built (skipped where nothing was built)", built, existsSync(built)],
])("a server %s", (_, program, isThere) => {
  test.skipIf(!isThere)(
    "listens on sockets that the process was given, also in a config after one that did not",
    async () => {
      const config = await configFile(sites(respond("first")));
      const { admin, site } = await run(program, ["--config", config, "--workers", "2"]);
      // No address, no names: any Host may ask.
      const answer = await ask(`${admin}/config/apps/http/servers/s/listen`, { headers: { Host: "any" } });
      expect([answer.status, answer.text]).toEqual([200, '["fd/4"]\n']);
      expect((await ask(site)).text).toBe("first");

      expect((await ask(`${admin}/config/apps`, { method: "DELETE" })).status).toBe(200);
      await expect(ask(site)).rejects.toThrow();
      const again = await ask(`${admin}/load`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(sites(respond("again"))),
      });
      expect([again.status, again.text]).toEqual([200, ""]);
      expect((await ask(site)).text).toBe("again");
    },
    60_000,
  );
});

test("a server ends with an error when a thread takes a given socket along, so that it is started anew", async () => {
  const file = join(folder, "fatal.ts");
  await writeFile(file, fatalHandler);
  const routes = [{ match: [{ path: ["/fatal"] }], handle: [{ handler: "fatal" }] }, respond("alive")];
  const config = await configFile({ modules: [file], ...sites(...routes) });
  const { site } = await run(source, ["--config", config, "--workers", "2"], { TEST_MAY_DIE: "yes" });
  expect((await ask(site)).text).toBe("alive");
  await expect(ask(`${site}/fatal`)).rejects.toThrow();
  expect(await exit).toEqual([3, null]);
});
