import { WireError } from "../errors.ts";

const shownNameLength = 100;
/** Reasons beyond these are counted only: an answer must not grow with its request. */
const shownReasons = 10;

/** Counts the spans of one message that are rejected alone, with the place and reason of each. */
export class RejectedSpans {
  count = 0;
  readonly #reasons: string[] = [];
  #error: WireError | undefined;
  #isUnreadable = false;

  /**
   * @param name of the span; "" when it is unreadable
   * @param place returns the span's place in its message, such as `spans[3]`; called only when it is shown
   * @param problem "empty trace id", or the error of reading it
   * @throws the error itself when it is none of outside bytes
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

  /** Adds what an earlier step has rejected of the same message. */
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
   * For formats whose answer can name rejected spans: bytes without any readable span are no such message.
   * Spans without valid ids still count as spans.
   * @param kept number of good spans in the message
   * @throws WireError why the first of them cannot be read
   */
  refuseUnreadable(kept: number): void {
    if (kept === 0 && this.#isUnreadable && this.#error !== undefined) {
      throw this.#error;
    }
  }

  /**
   * For formats whose answer says only yes or no: a yes would hide that nothing was kept.
   * @throws WireError the reason of the first rejection, when nothing of the message is kept
   */
  refuseNothing(kept: number): void {
    if (kept === 0 && this.#error !== undefined) {
      throw this.#error;
    }
  }
}
