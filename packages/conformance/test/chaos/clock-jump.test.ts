import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const module = fileURLToPath(new URL("clock-jump.ts", import.meta.url));
const looks =
  "[Date.now(), new Date().getTime(), Date.parse(Date()), new Date(5).getTime(), new Date() instanceof Date]";
const hourMs = 3_600_000;

test("moves every clock of a process and of its workers", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "clock-"));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "offset");
  writeFileSync(file, String(hourMs));
  const worker = `require("node:worker_threads").parentPort.postMessage(${looks})`;
  const program = `
    const { Worker } = require("node:worker_threads");
    new Worker(${JSON.stringify(worker)}, { eval: true }).on("message", (seen) => console.log(JSON.stringify([${looks}, seen])));`;
  const environment = { ...process.env, NODE_OPTIONS: `--require=${module}`, CLOCK_JUMP_FILE: file };
  const child = spawn(process.execPath, ["-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
    env: environment,
  });
  const before = Date.now();
  const seen = JSON.parse(await text(child.stdout)) as [number, number, number, number, boolean][];
  expect(seen).toHaveLength(2);
  for (const [now, date, call, fixed, isDate] of seen) {
    // A date as text has no milliseconds.
    for (const time of [now, date, call + 1_000]) {
      expect(time - hourMs).toBeGreaterThanOrEqual(before);
      expect(time - hourMs).toBeLessThan(Date.now() + 1_000);
    }
    expect([fixed, isDate]).toEqual([5, true]);
  }
});
