import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterEach, beforeEach, expect, test } from "vitest";
import { respond, siteConfig } from "../testing/running-server.ts";
import { ServerProcess } from "../testing/server-process.ts";

const rounds = 6;
const body = "/config/apps/http/servers/s/routes/0/handle/0/body";

let folder: string;
let server: ServerProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "autosave-kills-"));
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.exit;
  await rm(folder, { recursive: true });
});

function start(file: string): ServerProcess {
  return new ServerProcess(["run", "--resume", "--config", file], {
    XDG_CONFIG_HOME: folder,
    SERVER_ADMIN: "127.0.0.1:0",
  });
}

const read = async (admin: string) => Number(JSON.parse((await ask(admin + body)).text));

/** Changes the config until the server ends. @returns the last acknowledged change, and the next one */
async function changeUntilKilled(admin: string, from: number, kill: (acknowledged: number) => void) {
  let acknowledged = from;
  for (;;) {
    const status = await ask(admin + body, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      // Large, so that a write takes its time.
      body: JSON.stringify(`${acknowledged + 1}${" ".repeat(200_000)}`),
    }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status !== 200) {
      return { acknowledged, underWay: acknowledged + 1 };
    }
    acknowledged++;
    kill(acknowledged - from);
  }
}

test("whenever the process is killed, --resume brings the last acknowledged config back", async () => {
  const file = join(folder, "site.json");
  await writeFile(file, JSON.stringify(siteConfig(respond("0"))));
  let expected = [0];
  for (let round = 1; round <= rounds; round++) {
    server = start(file);
    const { child, exit } = server;
    const admin = await server.adminUrl();
    const found = await read(admin);
    expect(expected).toContain(found);
    const { acknowledged, underWay } = await changeUntilKilled(admin, found, (changes) => {
      if (changes === round * 2) {
        // Some way into the next change: each round another.
        setTimeout(() => child.kill("SIGKILL"), round - 1);
      }
    });
    expect(await exit).toBe("SIGKILL");
    expected = [acknowledged, underWay];
  }
  server = start(file);
  expect(expected).toContain(await read(await server.adminUrl()));
  expect(await readdir(join(folder, "server"))).toEqual(["autosave.json"]);
});
