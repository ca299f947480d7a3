// A reporter of vitest: writes what a whole run decides by and the JSON reporter leaves out.

import { writeFileSync } from "node:fs";

/** How an error begins or ends whose only reason is that something took longer than it may. */
const timeLimits = [
  /^(?:Test|Hook) timed out in \d+ ?ms/,
  /\b(?:not|no answer) within \d+ ms\b/,
  /\bTimeout \d+ms exceeded\b/,
];

/** Whether an error of a test tells of a time limit: of the runner, of a poll, of a browser's wait, or of a helper of ours. */
export function isTimeLimit({ name, message = "", cause }) {
  // An assertion may speak of a time limit. It is one when the poll around it ended, which only its cause tells.
  return name === "AssertionError"
    ? cause?.message === "Matcher did not succeed in time."
    : timeLimits.some((pattern) => pattern.test(message));
}

/**
 * Whether a failed file may be tried again: nothing but time limits failed in it. Every other failure counts, a race too.
 * @param errors of the file itself, and one list for each failed test
 */
export function isLateOnly(errors) {
  return errors.length > 0 && errors.every((list) => list.length > 0 && list.every(isTimeLimit));
}

/** The errors of a file, as {@link isLateOnly} takes them. */
function errorsOf(module) {
  const lists = [...module.children.allTests("failed")].map((test) => test.result().errors);
  const suites = [module, ...module.children.allSuites()].map((suite) => suite.errors());
  return [...lists, ...suites.filter((list) => list.length > 0)];
}

export default class TestVerdict {
  onTestRunEnd(modules, unhandledErrors) {
    const { TEST_VERDICT_FILE: file } = process.env;
    if (file) {
      const late = modules.filter((module) => isLateOnly(errorsOf(module)));
      const verdict = { unhandled: unhandledErrors.length, late: late.map(({ moduleId }) => moduleId) };
      writeFileSync(file, JSON.stringify(verdict));
    }
  }
}
