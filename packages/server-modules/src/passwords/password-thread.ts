import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { messageOf } from "server-core/errors";
import type { PasswordCheck } from "./password-check.ts";
import { verifyPassword } from "./verify-password.ts";

/** The result of a check. */
export type CheckOutcome = { readonly right: boolean } | { readonly failure: string };

/** Low priority: a slow password check is hardly noticed, but a slow server is. */
const niceness = 10;

if (process.platform === "linux") {
  // On Linux niceness is per thread. On other systems the call would slow down the whole process.
  setPriority(niceness);
}
parentPort?.on("message", (check: PasswordCheck) => {
  let outcome: CheckOutcome;
  try {
    outcome = { right: verifyPassword(check) };
  } catch (error) {
    outcome = { failure: messageOf(error) };
  }
  parentPort?.postMessage(outcome);
});
