import { once } from "node:events";
import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SupervisedProcess } from "./supervised-process.ts";

test("options for Node stand before the program, arguments behind it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "supervised-"));
  const program = join(folder, "program.mjs");
  await writeFile(program, "console.log(JSON.stringify([process.execArgv, process.argv.slice(2)]));");
  const nodeOptions = ["--initial-old-space-size=256"];
  const child = new SupervisedProcess(
    { name: "child", program, nodeOptions, arguments: ["--flag", "value"], environment: {}, ports: [] },
    {},
  );
  const line = once(child, "line");
  const ended = once(child, "failed");
  child.start();
  const [text]: string[] = await line;
  expect(JSON.parse(text!)).toEqual([nodeOptions, ["--flag", "value"]]);
  await ended;
  await rm(folder, { recursive: true });
});

/** A free port on the loopback address. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("one that cannot be started again is retried after growing pauses, until it is back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "supervised-"));
  const program = join(folder, "program.mjs");
  const broken = join(folder, "broken");
  const port = await freePort();
  await writeFile(
    program,
    `import { existsSync } from "node:fs";
    import { createServer } from "node:http";
    if (existsSync(${JSON.stringify(broken)})) { console.error("child: cannot start: the port is taken"); process.exit(1); }
    createServer((request, response) => {
      if (request.url === "/die") process.kill(process.pid, "SIGKILL");
      response.end();
    }).listen(${port}, "127.0.0.1");`,
  );
  const child = new SupervisedProcess(
    {
      name: "child",
      program,
      arguments: [],
      environment: { TEST_MAY_DIE: "yes" },
      ports: [],
      healthUrl: `http://127.0.0.1:${port}/`,
    },
    {},
  );
  child.start();
  await child.healthy(AbortSignal.timeout(30_000));
  await writeFile(broken, "");
  const restarts: unknown[] = [];
  child.on("failed", (reason) => restarts.push(reason));
  const thrice = new Promise<void>((resolve) => {
    child.on("restart", (restart) => {
      restarts.push(restart);
      if (restarts.length === 3) {
        resolve();
      }
    });
  });
  await fetch(`http://127.0.0.1:${port}/die`).catch(() => {});
  await thrice;
  expect(restarts).toEqual([
    { how: "SIGKILL", reason: "", pauseMs: 500 },
    { how: "exit code 1", reason: "the port is taken", pauseMs: 1000 },
    { how: "exit code 1", reason: "the port is taken", pauseMs: 2000 },
  ]);
  const back = once(child, "back");
  await unlink(broken);
  await back;
  expect(child.state).toBe("running");
  await child.stop(5_000);
  expect(child.state).toBe("stopped");
  await rm(folder, { recursive: true });
});
