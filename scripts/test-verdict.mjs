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

/** Tests with processes, sockets, containers or browsers: what else runs on the machine can disturb them. */
const ofProcesses = /\.e2e\.test\.ts$|\/packages\/[^/]+\/test\//;

/**
 * The failed files that may be tried again, alone: those in which nothing but time limits failed, and any with tests of processes.
 * A test that passes then is told by name, and is to be mended all the same: a race is a fault. It only costs nobody else's work.
 */
export function filesToTryAgain(files) {
  return files.filter((file) => {
    const failures = failuresOf(file);
    const isLate = failures.every(
      (messages) => messages.length > 0 && messages.every((text) => timeLimit.test(text)),
    );
    return file.status === "failed" && failures.length > 0 && (isLate || ofProcesses.test(file.name));
  });
}
