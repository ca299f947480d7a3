import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ask, type HttpAnswer } from "server-core/testing/ask";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

const dockerfile = fileURLToPath(new URL("../../../../docker/Dockerfile", import.meta.url));

let folder: string;
let server: ServerProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "first-config-"));
  await writeFile(
    join(folder, "slow.mjs"),
    `import { existsSync } from "node:fs";
     while (!existsSync(${JSON.stringify(join(folder, "go"))})) await new Promise((next) => setTimeout(next, 5));
     export default [];`,
  );
  const site = {
    listen: ["127.0.0.1:0"],
    routes: [{ "@id": "greeting", handle: [{ handler: "static_response", body: "hi" }] }],
  };
  const config = { modules: [join(folder, "slow.mjs")], apps: { http: { servers: { site } } } };
  await writeFile(join(folder, "site.json"), JSON.stringify(config));
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.exit;
  await rm(folder, { recursive: true });
});

/** Starts the server with a config whose load waits for a signal. @returns the address of its admin endpoint */
async function startSlowly(): Promise<string> {
  server = new ServerProcess(["run", "--config", join(folder, "site.json")], {
    XDG_CONFIG_HOME: folder,
    SERVER_ADMIN: "127.0.0.1:0",
    SERVER_WORKERS: "1",
  });
  return server.logged(/^admin endpoint on (\S+)$/);
}

const letGo = () => writeFile(join(folder, "go"), "");

/** The program of the container's health check, asking this address. @returns its exit code */
async function healthCheck(address: string): Promise<number> {
  const image = (await readFile(dockerfile, "utf8")).split("\nFROM run AS admin-server\n")[1] ?? "";
  const [program = "", ...args] = JSON.parse(
    /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(image)?.[1] ?? "[]",
  ) as string[];
  const here = args.map((each) => each.replace("port:2019", `port:${address.split(":").at(-1)}`));
  const child = spawn(program === "node" ? process.execPath : program, here, { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number];
  return code;
}

test("the container is not healthy before its sites are served", async () => {
  const address = await startSlowly();
  const check = healthCheck(address);
  expect(await Promise.race([check, sleep(1_500, "waits")])).not.toBe(0);
  await letGo();
  // A check that gave up meanwhile is repeated, as Docker does.
  expect((await check) === 0 || (await healthCheck(address)) === 0).toBe(true);
  expect((await ask((await server?.site()) ?? "")).text).toBe("hi");
});

test("whoever asks while the first config loads is answered by that config", async () => {
  const address = await startSlowly();
  const early = ["/config/", "/id/greeting", "/id/nobody", "/history", "/config/apps"].map((path) =>
    ask(`http://${address}${path}`),
  );
  const change = ask(`http://${address}/id/greeting/handle/0/body`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: '"changed"',
  });
  const first: Promise<HttpAnswer | string> = Promise.race([...early, change, sleep(500, "all wait")]);
  expect(await first).toBe("all wait");
  await letGo();
  const statuses = (await Promise.all(early)).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 404, 200, 200]);
  expect(JSON.parse((await early[0])?.text ?? "")).toHaveProperty("apps.http.servers.site");
  expect((await change).status).toBe(200);
  expect((await ask((await server?.site()) ?? "")).text).toBe("changed");
});
