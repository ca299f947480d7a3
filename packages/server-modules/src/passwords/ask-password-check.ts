import type { ThreadMessages } from "server-core/threads/thread-messages";
import { type CheckId, type CheckRequest, type PasswordCheck, passwordTopics } from "./password-check.ts";

/** The client of a check. */
export interface CheckOptions {
  /** Address of the client: clients take turns. */
  readonly client: string;
  /** Whether a right answer may be kept in memory. */
  readonly remember: boolean;
  /** Calls back when the client is gone. */
  readonly onGone: (callback: () => void) => void;
}

/** Number of the next check of this thread. */
let nextId = 1;

/**
 * Has a password checked by the process's own threads.
 * @throws ServerError PASSWORDS_BUSY when too many wait; CLIENT_GONE; THREAD when the hash cannot be used
 */
export async function askPasswordCheck(
  messages: ThreadMessages,
  check: PasswordCheck,
  { client, remember, onGone }: CheckOptions,
): Promise<boolean> {
  const id: CheckId = { thread: messages.thread, id: nextId++ };
  let waits = true;
  onGone(() => {
    if (waits) {
      messages.askMain(passwordTopics.drop, id).catch(() => {
        // The main thread is gone, and so is the check.
      });
    }
  });
  try {
    return (await messages.askMain(passwordTopics.check, {
      ...id,
      check,
      client,
      remember,
    } satisfies CheckRequest)) as boolean;
  } finally {
    waits = false;
  }
}
