import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { FatalLines } from "./fatal-lines.ts";

const run = (code: string, env: NodeJS.ProcessEnv = process.env) =>
  spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "pipe"], env });

test.fails("a process that logs a dead thread fails the test, whatever it asserts", async () => {
  const child = run(`console.error('{"level":"error","msg":"worker 2 died: starting another one"}')`);
  await once(child, "close");
});

test.fails("so does one that ends by an uncaught error", async () => {
  await once(run("throw new Error('x')"), "close");
});

test.fails("so does a thread that ends by an error", async () => {
  const worker = new Worker("throw new Error('x')", { eval: true });
  worker.on("error", () => {});
  await once(worker, "exit");
});

test("one that may die does not", async () => {
  const child = run("throw new Error('x')", { ...process.env, TEST_MAY_DIE: "yes" });
  await once(child, "close");
  expect(child.exitCode).toBe(1);
});

test("who reads the output gets all of it, also later", async () => {
  const child = run("for (let i = 0; i < 3; i++) console.log('line ' + i)");
  await once(child, "spawn");
  expect(await text(child.stdout)).toBe("line 0\nline 1\nline 2\n");
});

test("lines are found in pieces", () => {
  const lines = new FatalLines();
  expect(lines.take("a\nworker 1 di")).toEqual([]);
  expect(lines.take("ed: starting\nuncaught error: exiting\nb")).toEqual([
    "worker 1 died: starting",
    "uncaught error: exiting",
  ]);
  expect(lines.take("\nNode.js v26.1.0\n")).toEqual(["Node.js v26.1.0"]);
  expect(lines.take("the caught error of worker 1\n")).toEqual([]);
});
