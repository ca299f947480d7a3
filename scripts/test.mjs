// npm test: installs, generates, builds; checks format, lint, layers, unused exports, words and types; runs every test.
// The last line is `N passed, N failed`: each check counts as one test.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { waitForPeers } from "./peers.mjs";
import { prepare, run } from "./prepare.mjs";

await prepare();
// Tests start what was just built: it starts in a third of the processor time of its sources.
process.env.TEST_BUILT_PROGRAMS = "1";

// A package alone checks the sources of all that it imports, so most are checked as one program. The others have browsers'
// types or declarations of their own.
const { exclude } = JSON.parse(readFileSync("tsconfig.node.json", "utf8"));
const ofOthers = exclude.map((folder) => `--filter=./${folder}`);
const checks = [
  ["format and lint", ["exec", "biome", "check", "."]],
  ["layers and cycles", ["exec", "depcruise", "--config", "dependency-rules.mjs", "packages", "examples"]],
  ["unused files, exports and dependencies", ["exec", "knip", "--no-config-hints"]],
  ["plain words", ["exec", "node", "packages/docs-site/bin/check-words.ts"]],
  ["share of comments", ["exec", "node", "scripts/comment-share.mjs"]],
  ["commit subjects", ["exec", "node", "scripts/commit-subjects.mjs"]],
  ["types for Node", ["exec", "tsc", "-p", "tsconfig.node.json", "--checkers", "2"]],
  ["types of the others", ["exec", "turbo", "run", "typecheck", ...ofOthers, "--output-logs=errors-only"]],
];

/** Failures in more files than these are no accident. */
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

/**
 * Runs tests. @returns whether the runner ended well, what it tells of each file, errors outside of all tests, and the
 * files in which nothing but time limits failed
 */
function runTests(name, args) {
  const reportFile = join(folder, `${name}.json`);
  process.env.TEST_VERDICT_FILE = join(folder, `${name}.verdict.json`);
  const own = ["./scripts/test-verdict.mjs", "./scripts/skip-reasons.mjs"];
  const reporters = ["default", "json", ...own].map((each) => `--reporter=${each}`);
  const ended = run("pnpm", [
    "exec",
    "vitest",
    "run",
    ...reporters,
    `--outputFile.json=${reportFile}`,
    ...args,
  ]);
  try {
    const verdict = JSON.parse(readFileSync(process.env.TEST_VERDICT_FILE, "utf8"));
    return { ended, ...verdict, files: JSON.parse(readFileSync(reportFile, "utf8")).testResults };
  } catch (error) {
    failures.push(`tests: no report (${error instanceof Error ? error.message : error})`);
    return { ended, unhandled: 0, late: [], files: [] };
  }
}

/** Tests of files in a state. */
function testsOf(files, ...states) {
  return files.flatMap((file) => file.assertionResults.filter(({ status }) => states.includes(status)));
}

process.stdout.write("\n--- tests\n");
await waitForPeers();
const first = runTests("all", process.argv.slice(2));
let { ended, files, unhandled } = first;
const late = files.filter(({ name }) => first.late.includes(name));
const failedFiles = files.filter(({ status }) => status === "failed").length;
if (late.length > 0 && failedFiles === late.length && late.length <= mostFilesTriedAgain) {
  process.stdout.write(
    `\n--- once more, alone: ${late.length} files in which nothing but time limits failed\n`,
  );
  const again = runTests("again", ["--maxWorkers=1", ...late.map(({ name }) => name)]);
  const failedNow = new Set(testsOf(again.files, "failed").map(({ fullName }) => fullName));
  for (const { fullName } of testsOf(late, "failed")) {
    // Not silent: such a test depends on what else runs, and is to be mended.
    if (!failedNow.has(fullName)) {
      process.stdout.write(`passed only when run alone: ${fullName}\n`);
    }
  }
  files = [...files.filter((file) => !late.includes(file)), ...again.files];
  ended = again.ended;
  unhandled += again.unhandled;
}
rmSync(folder, { recursive: true, force: true });
const secondsOf = ({ startTime, endTime }) => Math.round((endTime - startTime) / 1_000);
const longest = files.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, 20);
process.stdout.write("\n--- the longest files, in seconds\n");
for (const file of longest) {
  process.stdout.write(`${String(secondsOf(file)).padStart(5)} ${relative(process.cwd(), file.name)}\n`);
}
passed += testsOf(files, "passed").length;
const failedTests = testsOf(files, "failed").length;
const skipped = testsOf(files, "pending", "skipped", "todo").length;
if (unhandled > 0) {
  failures.push(`tests: ${unhandled} errors outside of all tests`);
} else if (failedTests === 0 && (!ended || files.some(({ status }) => status === "failed"))) {
  failures.push("tests: the runner failed outside of a test");
}

if (failures.length > 0) {
  process.stdout.write(`\nFailed checks: ${failures.join("; ")}\n`);
}
const failed = failedTests + failures.length;
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exit(failed === 0 ? 0 : 1);
