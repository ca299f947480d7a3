import type { ThreadMessages } from "server-core/threads/thread-messages";
import { type CheckId, type CheckRequest, type PasswordCheck, passwordTopics } from "./password-check.ts";

/** The client of a check. */
export interface CheckOptions {
  /** Address of the client, to share the threads fairly between clients. */
  readonly client: string;
  /** True when a positive result may be cached. */
  readonly remember: boolean;
  /** Registers a callback for the client's disconnect. */
  readonly onGone: (callback: () => void) => void;
}

/** Id of the next check of this thread. */
let nextId = 1;

/**
 * Asks the main thread to check a password.
 * @throws ServerError PASSWORDS_BUSY when the queue is full; CLIENT_GONE; THREAD for an unusable hash
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
        // The main thread has ended, so the check is lost anyway.
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
