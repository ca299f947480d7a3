import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { superviseRun } from "./supervise-run.ts";

const folder = mkdtempSync(join(tmpdir(), "supervise-"));
const script = join(folder, "run.mjs");
// Site 1 kills each run, sites 0 and 2 do not; completed sites are given as arguments.
writeFileSync(
  script,
  `const done = new Set(process.argv.slice(2).map(Number));
const tell = (site, isDone) => new Promise((told) => process.send({ site, isDone }, told));
for (const site of [0, 1, 2]) {
  if (done.has(site)) continue;
  await tell(site, false);
  if (site === 1) process.kill(process.pid, "SIGKILL");
  await tell(site, true);
}
process.exit(7);
`,
);
afterAll(() => rmSync(folder, { recursive: true }));

test("a run that dies goes on without the site in which it dies twice", async () => {
  const done: string[] = [];
  const lost: number[] = [];
  const signals: string[] = [];
  let starts = 0;
  const code = await superviseRun({
    start() {
      starts++;
      const child = fork(script, done, { detached: true, env: { ...process.env, TEST_MAY_DIE: "yes" } });
      child.on("message", ({ site, isDone }: { site: number; isDone: boolean }) => {
        if (isDone) {
          done.push(String(site));
        }
      });
      return child;
    },
    onLost(site) {
      lost.push(site);
      done.push(String(site));
    },
    onDeath: (signal) => signals.push(signal),
  });
  expect({ code, lost, starts, signals }).toEqual({
    code: 7,
    lost: [1],
    starts: 3,
    signals: ["SIGKILL", "SIGKILL"],
  });
});

test("runs that die before a site is done are given up", async () => {
  writeFileSync(join(folder, "dead.mjs"), 'process.kill(process.pid, "SIGKILL");\n');
  let starts = 0;
  const code = await superviseRun({
    start() {
      starts++;
      return fork(join(folder, "dead.mjs"), {
        detached: true,
        env: { ...process.env, TEST_MAY_DIE: "yes" },
      });
    },
    onLost() {},
  });
  expect({ code, starts }).toEqual({ code: 1, starts: 3 });
});
