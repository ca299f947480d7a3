// npm test: installs, generates, builds; checks format, lint, layers, unused exports and types; runs every test.
// The last line is `N passed, N failed`: each check counts as one test.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitForPeers } from "./peers.mjs";
import { prepare, run } from "./prepare.mjs";

prepare();

const checks = [
  ["format and lint", ["exec", "biome", "check", "."]],
  ["layers and cycles", ["exec", "depcruise", "--config", "dependency-rules.mjs", "packages", "examples"]],
  ["unused files, exports and dependencies", ["exec", "knip", "--no-config-hints"]],
  ["types", ["exec", "turbo", "run", "typecheck", "--output-logs=errors-only"]],
];

/** A failure in more files than these is no accident. */
const mostFilesTriedAgain = 5;

let passed = 0;
const failures = [];
for (const [title, args] of checks) {
  const begin = Date.now();
  process.stdout.write(`\n--- ${title}\n`);
  if (run("pnpm", args)) {
    passed += 1;
    process.stdout.write(`--- ${title}: ok (${((Date.now() - begin) / 1000).toFixed(1)} s)\n`);
  } else {
    failures.push(title);
  }
}

const folder = mkdtempSync(join(tmpdir(), "test-report-"));

/** Runs tests. @returns whether the runner ended well, and what it tells of each file; none when it tells nothing */
function runTests(name, args) {
  const reportFile = join(folder, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const ended = run("pnpm", ["exec", "vitest", "run", ...reporters, ...args]);
  try {
    return { ended, files: JSON.parse(readFileSync(reportFile, "utf8")).testResults };
  } catch (error) {
    failures.push(`tests: no report (${error instanceof Error ? error.message : error})`);
    return { ended, files: [] };
  }
}

/** Tests of files in a state. */
function testsOf(files, ...states) {
  return files.flatMap((file) => file.assertionResults.filter(({ status }) => states.includes(status)));
}

process.stdout.write("\n--- tests\n");
await waitForPeers();
let { ended, files } = runTests("all", process.argv.slice(2));
const failedFiles = files.filter(({ status }) => status === "failed");
if (failedFiles.length > 0 && failedFiles.length <= mostFilesTriedAgain) {
  const names = failedFiles.map(({ name }) => name);
  process.stdout.write(`\n--- once more, alone: ${names.length} files with failures\n`);
  const again = runTests("again", ["--maxWorkers=1", ...names]);
  const failedNow = new Set(testsOf(again.files, "failed").map(({ fullName }) => fullName));
  for (const { fullName } of testsOf(failedFiles, "failed")) {
    // Not silent: such a test depends on what else runs, and is to be mended.
    if (!failedNow.has(fullName)) process.stdout.write(`passed only when run alone: ${fullName}\n`);
  }
  ended = again.ended;
  files = [...files.filter(({ status }) => status !== "failed"), ...again.files];
}
rmSync(folder, { recursive: true, force: true });
passed += testsOf(files, "passed").length;
const failedTests = testsOf(files, "failed").length;
const skipped = testsOf(files, "pending", "skipped", "todo").length;
if (!ended && failedTests === 0) {
  failures.push("tests: the runner failed outside of a test");
}

if (failures.length > 0) {
  process.stdout.write(`\nFailed checks: ${failures.join("; ")}\n`);
}
const failed = failedTests + failures.length;
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exit(failed === 0 ? 0 : 1);
