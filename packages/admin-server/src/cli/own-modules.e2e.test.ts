import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { respond } from "../testing/running-server.ts";
import { ServerProcess } from "../testing/server-process.ts";

let folder: string;
let file: string;
let server: ServerProcess;
let admin: string;
let site: string;

/** A handler that answers with `text`, and logs when it is provisioned. */
function moduleText(text: string): string {
  return `import { defineModule, type HttpHandler, z } from "admin-server/module";
export default defineModule({
  id: "http.handlers.own",
  config: z.strictObject({}),
  provision(_config, context): HttpHandler {
    context.log.info("own set up: ${text}");
    return { handle: (exchange) => exchange.respond(200, "${text}") };
  },
});`;
}

const json = { "Content-Type": "application/json" };
const setUps = () => server.lines.filter((line) => line.startsWith("own set up")).length;

async function reload() {
  const { text } = await ask(`${admin}/config/`);
  return ask(`${admin}/load`, {
    method: "POST",
    headers: { ...json, "Cache-Control": "must-revalidate" },
    body: text,
  });
}

/** Answers over many connections, so that every thread is asked. */
async function answers(): Promise<Set<string>> {
  return new Set(await Promise.all(Array.from({ length: 20 }, async () => (await ask(site)).text)));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "own-modules-"));
  file = join(folder, "own.ts");
  await writeFile(file, moduleText("first"));
  const config = join(folder, "site.json");
  const servers = { s: { listen: ["127.0.0.1:0"], routes: [{ handle: [{ handler: "own" }] }] } };
  await writeFile(config, JSON.stringify({ modules: [file], apps: { http: { servers } } }));
  server = new ServerProcess(["run", "--workers", "2", "--config", config], {
    XDG_CONFIG_HOME: folder,
    SERVER_ADMIN: "127.0.0.1:0",
  });
  admin = await server.adminUrl();
  site = await server.site();
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.exit;
  await rm(folder, { recursive: true });
});

test("a module of one's own runs in every thread, and a change elsewhere leaves it alone", async () => {
  expect(await answers()).toEqual(new Set(["first"]));
  const before = setUps();
  const other = { routes: [respond("other")] };
  const change = { method: "POST", headers: json, body: JSON.stringify(other) };
  expect((await ask(`${admin}/config/apps/http/servers/other`, change)).status).toBe(200);
  expect(await answers()).toEqual(new Set(["first"]));
  expect(setUps()).toBe(before);
});

test("a changed file is taken up by a reload", async () => {
  await writeFile(file, moduleText("second"));
  await utimes(file, new Date(), new Date(Date.now() + 5_000));
  expect((await reload()).status).toBe(200);
  expect(await answers()).toEqual(new Set(["second"]));
});

test("a broken one fails the load, and the old one goes on", async () => {
  await writeFile(file, "throw new Error('broken on purpose');");
  await utimes(file, new Date(), new Date(Date.now() + 10_000));
  const refused = await reload();
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("broken on purpose")]);
  expect(await answers()).toEqual(new Set(["second"]));
});
