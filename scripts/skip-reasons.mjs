// A reporter of vitest: says at the end of a run which tests were skipped, and why. vitest itself prints a number.

/** @param skipped `[file, reason]` of each test. @returns a line for each pair, the most frequent first */
export function skipLines(skipped) {
  const counts = new Map();
  for (const [file, reason] of skipped) {
    const key = `${file}: ${reason}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, left], [, right]) => right - left)
    .map(([key, count]) => `skipped: ${count} of ${key}`);
}

/** The reason that a test gave while it ran. Without one, the name of its group, or its own, says what it needs. */
function reasonOf(test) {
  return test.result().note ?? (test.parent.type === "suite" ? test.parent.fullName : test.fullName);
}

export default class SkipReasons {
  #isWhole = true;

  onInit({ config }) {
    // A pattern of names skips whatever it does not name.
    this.#isWhole = config.testNamePattern === undefined;
  }

  onTestRunEnd(modules) {
    if (!this.#isWhole) {
      return;
    }
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map((test) => [module.relativeModuleId, reasonOf(test)]),
    );
    process.stdout.write(
      skipLines(skipped)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
}
