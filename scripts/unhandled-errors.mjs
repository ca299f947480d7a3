import { writeFileSync } from "node:fs";

/** A reporter of vitest: writes how many errors happened outside of all tests, which the JSON reporter leaves out. */
export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const { UNHANDLED_ERRORS_FILE: file } = process.env;
    if (file) {
      writeFileSync(file, JSON.stringify(errors.length));
    }
  }
}
