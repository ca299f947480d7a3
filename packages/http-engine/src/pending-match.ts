import { HttpError } from "./http-error.ts";

/**
 * Thrown by a matcher whose decision needs something that is not known yet, such as a file on another machine. The route
 * list waits for `ready` and asks the matcher again, which must know more by then. Where nobody waits, such as in a
 * rehearsal, it is a failure of the request.
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
 * Asks a matcher outside a route list, and again when what it waits for is known.
 * @throws errors of `ask` but {@link PendingMatch}
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
