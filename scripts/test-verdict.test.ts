import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isLateOnly } from "./test-verdict.mjs";

const late = { name: "Error", message: "Test timed out in 60000ms.\nIf this is a long-running test, …" };
const lateHook = { name: "Error", message: "Hook timed out in 120000ms.\nIf this is a long-running hook" };
const wrong = { name: "AssertionError", message: "expected 1 to be 2" };
const latePoll = { ...wrong, cause: { message: "Matcher did not succeed in time." } };

test.each([
  ["a test over its time", [[late]], true],
  ["two of them", [[late], [late]], true],
  ["a hook over its time", [[lateHook]], true],
  ["a poll over its time", [[latePoll]], true],
  [
    "a wait of a browser",
    [[{ name: "TimeoutError", message: "locator.click: Timeout 30000ms exceeded." }]],
    true,
  ],
  ["a wait of a helper", [[{ name: "Error", message: "3 spans are missing (not within 9000 ms)" }]], true],
  ["an answer that did not come", [[{ name: "Error", message: "no answer within 500 ms" }]], true],
  ["an assertion", [[wrong]], false],
  ["an assertion beside a time limit", [[late], [wrong]], false],
  ["both in one test", [[late, wrong]], false],
  ["an assertion that speaks of a time limit", [[{ ...wrong, message: "Test timed out in 5ms" }]], false],
  ["an assertion with another cause", [[{ ...wrong, cause: { message: "not within 5 ms" } }]], false],
  ["a file that cannot be loaded", [[{ name: "SyntaxError", message: "Unexpected token" }]], false],
  ["a failed test that names no error", [[]], false],
  ["nothing failed", [], false],
])("%s: tried again %#", (_, errors, expected) => {
  expect(isLateOnly(errors)).toBe(expected);
});

test("the runner tells the files in which only time limits failed", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "verdict-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const modules = join(import.meta.dirname, "..", "node_modules");
  symlinkSync(modules, join(folder, "node_modules"));
  const head = 'import { beforeAll, expect, test } from "vitest";\n';
  const files: Record<string, string> = {
    poll: 'test("x", () => expect.poll(() => 1, { timeout: 5, interval: 1 }).toBe(2));',
    time: 'test("x", () => new Promise(() => {}), 5);',
    hook: 'beforeAll(() => new Promise(() => {}), 5); test("x", () => {});',
    both: 'test("x", () => expect(1).toBe(2)); test("y", () => new Promise(() => {}), 5);',
    fine: 'test("x", () => {});',
    load: "throw new Error('no');",
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.test.ts`), `${head}${text}\n`);
  }
  const verdictFile = join(folder, "verdict.json");
  const runner = join(modules, "vitest", "vitest.mjs");
  const own = [
    "--root",
    folder,
    "--no-isolate",
    "--maxWorkers=1",
    "--reporter",
    join(import.meta.dirname, "test-verdict.mjs"),
  ];
  const { status } = spawnSync(process.execPath, [runner, "run", ...own], {
    env: { ...process.env, TEST_VERDICT_FILE: verdictFile },
  });
  const { late: paths, unhandled } = JSON.parse(readFileSync(verdictFile, "utf8"));
  expect(paths.map((path: string) => path.slice(folder.length + 1)).sort()).toEqual([
    "hook.test.ts",
    "poll.test.ts",
    "time.test.ts",
  ]);
  expect({ unhandled, status }).toEqual({ unhandled: 0, status: 1 });
}, 240_000);
