import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = fileURLToPath(new URL("../../../packages/admin-server/bin/server.ts", import.meta.url));
const repository = fileURLToPath(new URL("../../../", import.meta.url));

let folder: string;
let server: ChildProcess;
let site: string;
let admin: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "own-module-"));
  const shown = await readFile(new URL("../site.json", import.meta.url), "utf8");
  await writeFile(join(folder, "site.json"), shown.replace(":8099", "127.0.0.1:0"));
  server = spawn(process.execPath, [program, "run", "--config", join(folder, "site.json")], {
    cwd: repository,
    env: {
      PATH: process.env.PATH,
      SERVER_ADMIN: "127.0.0.1:0",
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
      LOG_ENCODING: "json",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines = createInterface({ input: server.stderr as NodeJS.ReadableStream });
  for await (const line of lines) {
    const { msg } = JSON.parse(line) as { msg: string };
    site = /^serving HTTP on (\S+)/.exec(msg)?.[1] ?? site;
    admin = /^admin endpoint on (\S+)/.exec(msg)?.[1] ?? admin;
    if (/ runs$/.test(msg)) {
      break;
    }
  }
  server.stderr?.resume();
});
afterAll(async () => {
  server.kill("SIGKILL");
  await once(server, "close");
  await rm(folder, { recursive: true });
});

test("visitors are asked to come back, those with a key see the site", async () => {
  const closed = await fetch(`http://${site}/`);
  expect([closed.status, closed.headers.get("retry-after"), await closed.text()]).toEqual([
    503,
    "1800",
    "Back at noon.\n",
  ]);
  const open = await fetch(`http://${site}/`, { headers: { "X-Maintenance-Key": "let-me-in" } });
  expect([open.status, await open.text()]).toEqual([200, "the new site\n"]);
});

test("the schema of the config knows them", async () => {
  const answer = await fetch(`http://${admin}/config/schema/http.handlers.maintenance`, {
    headers: { Origin: `http://${admin}` },
  });
  expect(await answer.text()).toContain("What visitors read");
});

test("directive and matcher of a serverfile become the handler and its routes, and the text comes back", async () => {
  const text = await readFile(new URL("../site.serverfile", import.meta.url), "utf8");
  const adapted = await fetch(`http://${admin}/adapt`, {
    method: "POST",
    headers: { Origin: `http://${admin}`, "Content-Type": "text/serverfile" },
    body: text,
  });
  const { result } = (await adapted.json()) as { result: object };
  const open = {
    match: [{ maintenance_key: { keys: ["let-me-in"] } }],
    handle: [{ handler: "static_response", body: "the new site" }],
  };
  const handle = [{ handler: "maintenance", text: "Back at noon.", retry_after: 1_800_000_000_000 }];
  expect(result).toEqual({
    modules: ["./examples/own-module/src/maintenance.ts"],
    apps: { http: { servers: { srv0: { listen: [":8099"], routes: [open, { handle }] } } } },
  });
  const back = await fetch(`http://${admin}/adapt`, {
    method: "POST",
    headers: {
      Origin: `http://${admin}`,
      "Content-Type": "application/json",
      Accept: "text/serverfile",
    },
    body: JSON.stringify(result),
  });
  expect(await back.text()).toBe(text);
});
