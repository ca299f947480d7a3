import { WireError } from "../errors.ts";

const shownNameLength = 100;
/**
 * Maximum number of reasons in an answer; further reasons are only counted, because otherwise the answer would grow
 * with its request.
 */
const shownReasons = 10;

/** Counts the rejected spans of one message, and collects their places and reasons. */
export class RejectedSpans {
  count = 0;
  readonly #reasons: string[] = [];
  #error: WireError | undefined;
  #isUnreadable = false;

  /**
   * @param name name of the span; "" when it is unreadable
   * @param place returns the span's place in its message, such as `spans[3]`; called only if the reason is shown
   * @param problem "empty trace id", or the error from reading the span
   * @throws the error itself when it has another cause than the bytes of the message
   */
  add(name: string, place: () => string, problem: unknown): void {
    if (problem instanceof Error && !(problem instanceof WireError)) {
      throw problem;
    }
    const error = problem instanceof WireError ? problem : undefined;
    this.count++;
    this.#error ??= error;
    if (error !== undefined && error.code !== "WIRE_BAD_ID") {
      this.#isUnreadable = true;
    }
    if (this.#reasons.length < shownReasons) {
      const shown = name.length > shownNameLength ? `${name.slice(0, shownNameLength)}…` : name;
      const text = error?.message ?? String(problem);
      this.#reasons.push(`span ${JSON.stringify(shown)} at ${place()}: ${text}`);
    }
  }

  /** Adds the spans of the same message that an earlier step rejected. */
  addAll(others: RejectedSpans): void {
    this.count += others.count;
    this.#error ??= others.#error;
    this.#isUnreadable ||= others.#isUnreadable;
    this.#reasons.push(...others.#reasons.slice(0, shownReasons - this.#reasons.length));
  }

  get errorMessage(): string {
    if (this.count === 0) {
      return "";
    }
    const all = this.#reasons.join("; ");
    const more = this.count - this.#reasons.length;
    return `${this.count} ${this.count === 1 ? "span" : "spans"} rejected: ${all}${more > 0 ? `; and ${more} more` : ""}`;
  }

  /**
   * For formats whose answer can name rejected spans: a message without any readable span is invalid. A span with
   * invalid ids counts as readable.
   * @param kept number of valid spans of the message
   * @throws WireError with the reason of the first unreadable span
   */
  refuseUnreadable(kept: number): void {
    if (kept === 0 && this.#isUnreadable && this.#error !== undefined) {
      throw this.#error;
    }
  }

  /**
   * For formats whose answer is either success or failure: success would hide that all spans were rejected.
   * @throws WireError with the reason of the first rejected span, if all spans of the message were rejected
   */
  refuseNothing(kept: number): void {
    if (kept === 0 && this.#error !== undefined) {
      throw this.#error;
    }
  }
}
