import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

/** Handlers that end their thread, which no handler of ours may do, and one that fails fatally at its start. */
const fatalModules = `
import { isMainThread, threadId } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";
import { AsyncResource } from "node:async_hooks";
import { defineModule, z } from "admin-server/module";
const nobody = new AsyncResource("nobody");
const handler = (name, handle, provision = () => {}) => defineModule({
  id: "http.handlers." + name,
  config: z.strictObject({}),
  provision() { provision(); return { handle }; },
});
export default [
  handler("exit", async () => { await sleep(20); process.exit(1); }),
  handler("throw", async () => {
    nobody.runInAsyncScope(() => setTimeout(() => { throw new Error("of no request"); }, 20));
    await sleep(60_000);
  }),
  handler("out_of_memory", () => { const held = []; for (;;) held.push(new Array(1e5).fill(held.length)); }),
  handler("thread_id", (exchange) => exchange.respond(200, String(threadId))),
  handler("fatal_to_set_up", () => {}, () => { if (!isMainThread) process.exit(1); }),
];`;

let folder: string;
let server: ServerProcess;
let admin: string;
let site: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "thread-death-"));
  await writeFile(join(folder, "fatal.mjs"), fatalModules);
  await writeFile(join(folder, "config.json"), JSON.stringify(config("0")));
  server = new ServerProcess(["run", "--config", join(folder, "config.json")], {
    XDG_CONFIG_HOME: folder,
    SERVER_ADMIN: "127.0.0.1:0",
    SERVER_WORKERS: "2",
    LOG_ENCODING: "json",
    TEST_MAY_DIE: "yes",
    // A thread without free memory must report this soon.
    NODE_OPTIONS: "--max-old-space-size=128",
  });
  admin = await server.adminUrl();
  site = await server.site();
});
afterAll(async () => {
  server.child.kill("SIGTERM");
  await server.exit;
  await rm(folder, { recursive: true, force: true });
});

const on = (path: string, handler: string) => ({ match: [{ path: [path] }], handle: [{ handler }] });

function config(version: string, ...more: object[]) {
  return {
    modules: [join(folder, "fatal.mjs")],
    apps: {
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0", `unix/${join(folder, "site.sock")}`],
            automatic_https: { disable: true },
            routes: [
              ...more,
              on("/exit", "exit"),
              on("/throw", "throw"),
              on("/memory", "out_of_memory"),
              on("/thread", "thread_id"),
              {
                match: [{ path: ["/remote"] }],
                handle: [{ handler: "static_response", body: "{http.request.remote.host}" }],
              },
              { handle: [{ handler: "static_response", body: version }] },
            ],
          },
        },
      },
    },
  };
}

const load = (document: object) =>
  ask(`${admin}/load`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(document),
  });

/** Sends a request that ends the thread which answers it. */
const attack = (path: string) =>
  ask(`${site}${path}`).then(
    () => "answered",
    () => "cut",
  );

async function threads(): Promise<Set<string>> {
  const answers = await Promise.all(Array.from({ length: 24 }, () => ask(`${site}/thread`)));
  return new Set(answers.map((answer) => answer.text));
}

const deaths = () => server.lines.filter((line) => / died: starting another one$/.test(line)).length;
const bothServe = () => expect.poll(async () => (await threads()).size, { timeout: 50_000 }).toBe(2);

describe("when a thread ends", { timeout: 180_000 }, () => {
  test("the log names what it was at, without secrets", async () => {
    await bothServe();
    const before = deaths();
    expect(await attack("/exit?token=a-secret")).toBe("cut");
    await expect.poll(deaths, { timeout: 50_000 }).toBe(before + 1);
    const line = server.stderr.split("\n").find((each) => each.includes(" died: starting another one")) ?? "";
    const { requests } = JSON.parse(line) as { requests: object[] };
    const host = new URL(site).host;
    expect(requests).toContainEqual({ method: "GET", host, path: "/exit", remote: "127.0.0.1" });
    expect(server.stderr).not.toContain("a-secret");
  });

  test("one without memory is named too", async () => {
    await bothServe();
    const before = deaths();
    expect(await attack("/memory")).toBe("cut");
    await expect.poll(deaths, { timeout: 50_000 }).toBe(before + 1);
    const line = server.stderr.split("\n").findLast((each) => each.includes(" died: starting another one"));
    expect(line).toContain('"path":"/memory"');
    expect(server.stderr).toContain("ERR_WORKER_OUT_OF_MEMORY");
    await bothServe();
  });

  test("changes at that moment wait for its successor and succeed", async () => {
    await bothServe();
    for (let version = 1; version <= 8; version++) {
      const attacks = [attack("/exit"), attack("/exit")];
      if (version % 2 === 0) {
        await Promise.race(attacks); // first before the death, then during it
      }
      const changed =
        version % 4 < 2
          ? await load(config(`v${version}`))
          : await ask(`${admin}/config/apps/http/servers/s/routes/5/handle/0/body`, {
              method: "PATCH",
              headers: { "Content-Type": "application/json" },
              body: JSON.stringify(`v${version}`),
            });
      expect([changed.status, changed.text.includes("error")]).toEqual([200, false]);
      await Promise.all(attacks);
      await bothServe();
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask(site)));
      expect(new Set(answers.map((answer) => answer.text))).toEqual(new Set([`v${version}`]));
    }
  });

  test("another one listens on its unix socket", async () => {
    await bothServe();
    for (let round = 0; round < 3; round++) {
      const before = deaths();
      const overSocket = (path: string) =>
        new Promise<string>((resolve, reject) => {
          const socket = connect(join(folder, "site.sock"));
          socket.on("error", reject);
          socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
          text(socket).then(resolve, reject);
        });
      await overSocket("/exit").catch(() => {});
      await expect.poll(deaths, { timeout: 50_000 }).toBe(before + 1);
      const answer = await expect
        .poll(() => overSocket("/thread").catch(() => ""), { interval: 5, timeout: 50_000 })
        .toMatch(/200 OK/)
        .then(() => overSocket("/thread"));
      expect(answer).toMatch(/200 OK/);
      await bothServe();
    }
    expect(server.lines.filter((line) => line.includes("cannot take over"))).toEqual([]);
  });

  test("what kills every thread that prepares it is refused, and the config of before serves", async () => {
    await load(config("before"));
    const answer = await load(config("after", on("/x", "fatal_to_set_up")));
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/worker \d died/)]);
    await bothServe();
    expect((await ask(site)).text).toBe("before");
    expect((await load(config("after"))).status).toBe(200);
    expect((await ask(site)).text).toBe("after");
  });

  test("all at once, again and again: somebody always listens, and nothing loops", async () => {
    await bothServe();
    const stop = new AbortController();
    const refused: unknown[] = [];
    /** Requests in a dying thread may be cut; but no client may find the port closed. */
    const askOnce = () =>
      ask(`${site}/remote`).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") {
          refused.push(error);
        }
        return undefined;
      });
    const client = async () => {
      while (!stop.signal.aborted) {
        await askOnce();
      }
    };
    const clients = Array.from({ length: 4 }, client);
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 12 }, () => attack(round % 2 === 0 ? "/exit" : "/throw")));
      await expect
        .poll(async () => (await askOnce())?.text, { interval: 1, timeout: 50_000 })
        .toBe("127.0.0.1");
    }
    stop.abort();
    await Promise.all(clients);
    expect(refused).toEqual([]);
    const waited = server.lines.flatMap(
      (line) => /^(\d+) connections waited for a worker$/.exec(line)?.[1] ?? [],
    );
    expect(Math.max(...waited.map(Number))).toBeGreaterThan(0);
    expect(server.lines.filter((line) => /are lost|waiting room|cannot wait/.test(line))).toEqual([]);
    await bothServe();
    const settled = deaths();
    await ask(site);
    expect(deaths()).toBe(settled);
  });
});
