import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterEach, beforeEach, expect, test } from "vitest";
import { respond, siteConfig } from "../testing/running-server.ts";
import { ServerProcess } from "../testing/server-process.ts";

let folder: string;
let server: ServerProcess | undefined;
/** A module that is never ready. */
let endless: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stop-"));
  endless = join(folder, "endless.ts");
  await writeFile(
    endless,
    `process.stderr.write("loading begins\\n"); await new Promise(() => setInterval(() => {}, 1000));`,
  );
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.exit;
  await rm(folder, { recursive: true });
});

const hanging = () => JSON.stringify({ ...(siteConfig(respond("new")) as object), modules: [endless] });

async function run(config: string, workers: number): Promise<ServerProcess> {
  const file = join(folder, "config.json");
  await writeFile(file, config);
  server = new ServerProcess(["run", "--config", file, "--workers", String(workers)], {
    XDG_CONFIG_HOME: folder,
    SERVER_ADMIN: "127.0.0.1:0",
  });
  return server;
}

test.each([0, 2])(
  "SIGTERM ends a server whose first config is still loading (%i workers)",
  async (workers) => {
    const started = await run(hanging(), workers);
    await started.logged(/^loading begins$/);
    started.child.kill("SIGTERM");
    expect(await started.exit).toBe(0);
    expect(started.lines).toContain("stopping: SIGTERM, before the configuration was loaded");
    expect(started.lines.filter((line) => line.includes("is not ready after"))).toEqual([]);
  },
);

test("SIGTERM gives up a change that is being prepared", async () => {
  const started = await run(JSON.stringify(siteConfig(respond("old"))), 2);
  const admin = await started.adminUrl();
  const loading = ask(`${admin}/load`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: hanging(),
  });
  await started.logged(/^loading begins$/);
  started.child.kill("SIGTERM");
  const { status, text } = await loading;
  expect([status, text]).toEqual([503, expect.stringContaining("the server is stopping")]);
  expect(await started.exit).toBe(0);
});
