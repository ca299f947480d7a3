import { HttpError } from "./http-error.ts";

/**
 * Thrown by a matcher whose decision needs something that is not known yet, such as a file on another machine. The
 * route list waits for `ready` and asks the matcher again, which must know more by then. If the caller of the matcher
 * does not wait, as in a rehearsal, the request fails.
 */
export class PendingMatch extends HttpError {
  /** Settles when the matcher can be asked again; it must not reject. */
  readonly ready: Promise<unknown>;

  constructor(ready: Promise<unknown>) {
    super(503, "a matcher waits for another machine, which is not possible at this place");
    this.ready = ready;
  }
}

/**
 * Asks a matcher outside of a route list. After a {@link PendingMatch}, waits for its `ready` and asks again.
 * @throws any other error of `ask`
 */
export async function whenKnown<Answer>(ask: () => Answer): Promise<Answer> {
  for (;;) {
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof PendingMatch)) {
        throw error;
      }
      await error.ready;
    }
  }
}
