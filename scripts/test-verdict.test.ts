import { expect, test } from "vitest";
import { filesToTryAgain } from "./test-verdict.mjs";

const late = "Error: Test timed out in 60000ms.\nIf this is a long-running test, pass a timeout value";
const lateHook = "Error: Hook timed out in 120000ms.\nIf this is a long-running hook";
const wrong = "AssertionError: expected 1 to be 2";

const file = (failures: string[][], message = "") => ({
  name: "x.test.ts",
  status: failures.length > 0 || message !== "" ? "failed" : "passed",
  message,
  assertionResults: [
    { status: "passed", failureMessages: [] },
    ...failures.map((failureMessages) => ({ status: "failed", failureMessages })),
  ],
});
const named = (name: string) => ({ ...file([[wrong]]), name });
const isTriedAgain = (one: object) => filesToTryAgain([one]).length === 1;

test.each([
  ["a test over its time", file([[late]]), true],
  ["two of them", file([[late], [late]]), true],
  ["a hook over its time, in no test", file([], lateHook), true],
  ["an assertion", file([[wrong]]), false],
  ["an assertion beside a time limit", file([[late], [wrong]]), false],
  ["both in one test", file([[late, wrong]]), false],
  ["an assertion that speaks of a time limit", file([["AssertionError: Test timed out in 5ms"]]), false],
  ["a file that cannot be loaded", file([], "SyntaxError: Unexpected token"), false],
  ["a failed file that names no failure", { ...file([]), status: "failed" }, false],
  ["nothing failed", file([]), false],
  ["an assertion in a test of processes beside the code", named("/a/packages/x/src/y.e2e.test.ts"), true],
  ["an assertion in a folder of tests of processes", named("/a/packages/x/test/deep/y.test.ts"), true],
  ["an assertion beside the code", named("/a/packages/x/src/y.test.ts"), false],
  ["an assertion in a test of scripts", named("/a/scripts/y.test.ts"), false],
])("%s: tried again %#", (_, one, expected) => {
  expect(isTriedAgain(one)).toBe(expected);
});
