// npm test: installs, generates, builds; checks format, lint, layers, unused exports and types; runs every test.
// The last line is `N passed, N failed`: each check counts as one test.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare, run } from "./prepare.mjs";

prepare();

const checks = [
  ["format and lint", ["exec", "biome", "check", "."]],
  ["layers and cycles", ["exec", "depcruise", "--config", "dependency-rules.mjs", "packages", "examples"]],
  ["unused files, exports and dependencies", ["exec", "knip", "--no-config-hints"]],
  ["types", ["exec", "turbo", "run", "typecheck", "--output-logs=errors-only"]],
];

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
const reportFile = join(folder, "report.json");
process.stdout.write("\n--- tests\n");
const ended = run("pnpm", [
  "exec",
  "vitest",
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${reportFile}`,
  ...process.argv.slice(2),
]);
let skipped = 0;
let failedTests = 0;
try {
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  passed += report.numPassedTests;
  failedTests = report.numFailedTests;
  skipped = report.numPendingTests + (report.numTodoTests ?? 0);
} catch (error) {
  failures.push(`tests: no report (${error instanceof Error ? error.message : error})`);
}
rmSync(folder, { recursive: true, force: true });
if (!ended && failedTests === 0) {
  failures.push("tests: the runner failed outside of a test");
}

if (failures.length > 0) {
  process.stdout.write(`\nFailed checks: ${failures.join("; ")}\n`);
}
const failed = failedTests + failures.length;
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exit(failed === 0 ? 0 : 1);
