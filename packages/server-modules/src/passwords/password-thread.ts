import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { messageOf } from "server-core/errors";
import type { PasswordCheck } from "./password-check.ts";
import { verifyPassword } from "./verify-password.ts";

/** The result of a check. */
export type CheckOutcome = { readonly right: boolean } | { readonly failure: string };

/** Passwords wait for requests: nobody notices a later answer, everybody a slow server. */
const niceness = 10;

if (process.platform === "linux") {
  // Linux gives each thread a niceness of its own; elsewhere the call would slow down the whole process.
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
