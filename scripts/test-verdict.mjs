// The meaning of failed tests for the whole run. Input: files of vitest's JSON report.

/** How vitest begins the error of a test or hook that took longer than it may. */
const timeLimit = /^(?:Error: )?(?:Test|Hook) timed out in \d+ ?ms/;

/** Why a file failed: one list of messages for each test that failed, and one for what failed outside of tests. */
function failuresOf(file) {
  const ofTests = file.assertionResults
    .filter(({ status }) => status === "failed")
    .map(({ failureMessages }) => failureMessages);
  return file.message ? [...ofTests, [file.message]] : ofTests;
}

/**
 * The failed files that may be tried again: those in which nothing but time limits failed. A machine that is too busy does
 * that; everything else is a fault, a race too, and counts.
 */
export function filesToTryAgain(files) {
  return files.filter((file) => {
    const failures = failuresOf(file);
    return (
      file.status === "failed" &&
      failures.length > 0 &&
      failures.every((messages) => messages.length > 0 && messages.every((text) => timeLimit.test(text)))
    );
  });
}
