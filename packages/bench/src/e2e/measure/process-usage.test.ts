import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { processUsage } from "./process-usage.ts";

/** Uses 0.3 seconds of processor time, even on a busy machine. */
const burn = "while (process.cpuUsage().user < 300_000); console.log('done');";
const stay = "setInterval(() => {}, 1e6);";
/** Runs a script in a child, prints a line when the script is done or has ended, and keeps running. */
const inChild = (script: string) => `
  const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(script)}]);
  child.${script.endsWith(stay) ? 'stdout.once("data"' : 'on("exit"'}, () => console.log("done"));
  ${stay}`;

let started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started) {
    const ended = once(child, "exit");
    // The process and its child are killed as a process group.
    process.kill(-child.pid!, "SIGKILL");
    await ended;
  }
  started = [];
});

/** @returns the process id, after the script has printed its line; the script must keep running */
async function run(script: string): Promise<number> {
  const child = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  started.push(child);
  await once(child.stdout, "data");
  return child.pid!;
}

describe.runIf(process.platform === "linux")("processUsage", () => {
  test("gives the time and memory of a process", async () => {
    const usage = processUsage(await run(`${burn} ${stay}`));
    expect(usage.cpuSeconds).toBeGreaterThan(0.25);
    expect(usage.rssBytes).toBeGreaterThan(10 * 1024 * 1024);
    expect(usage.rssPeakBytes).toBeGreaterThanOrEqual(usage.rssBytes);
  });

  test("counts running children in", async () => {
    const alone = processUsage(await run(`${burn} ${stay}`));
    const together = processUsage(await run(inChild(`${burn} ${stay}`)));
    expect(together.cpuSeconds).toBeGreaterThan(0.25);
    expect(together.rssBytes).toBeGreaterThan(alone.rssBytes * 1.5);
  });

  test("counts the time of ended children in", async () => {
    expect(processUsage(await run(inChild(burn))).cpuSeconds).toBeGreaterThan(0.25);
  });

  test("reads a process whose name looks like the rest of its line", async () => {
    const pid = await run(`process.title = 'a) R 1 (b'; ${burn} ${stay}`);
    const { cpuSeconds } = processUsage(pid);
    expect(cpuSeconds).toBeGreaterThan(0.25);
    expect(cpuSeconds).toBeLessThan(60);
  });

  test("says when there is no such process", () => {
    expect(() => processUsage(2 ** 22 + 1)).toThrow("process 4194305 is not there");
  });
});
