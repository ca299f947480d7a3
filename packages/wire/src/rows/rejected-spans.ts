import { WireError } from "../errors.ts";

const shownNameLength = 100;
/** Reasons beyond these are counted only: an answer must not grow with its request. */
const shownReasons = 10;

/** Counts the spans of one message that are rejected alone, and says where each stands and why. */
export class RejectedSpans {
  count = 0;
  readonly #reasons: string[] = [];
  #error: WireError | undefined;
  #isUnreadable = false;

  /**
   * @param name of the span; "" where it cannot be read
   * @param place of the span in its message, such as `spans[3]`; asked for where it is shown
   * @param problem what is wrong with it: "empty trace id", or the error that reading it gave
   * @throws the error itself when it is none of outside bytes
   */
  add(name: string, place: () => string, problem: unknown): void {
    if (problem instanceof Error && !(problem instanceof WireError)) throw problem;
    const error = problem instanceof WireError ? problem : undefined;
    this.count++;
    this.#error ??= error;
    if (error !== undefined && error.code !== "WIRE_BAD_ID") this.#isUnreadable = true;
    if (this.#reasons.length < shownReasons) {
      const shown = name.length > shownNameLength ? `${name.slice(0, shownNameLength)}…` : name;
      const text = error?.message ?? String(problem);
      this.#reasons.push(`span ${JSON.stringify(shown)} at ${place()}: ${text}`);
    }
  }

  /** Takes over what an earlier step has rejected of the same message. */
  addAll(others: RejectedSpans): void {
    this.count += others.count;
    this.#error ??= others.#error;
    this.#isUnreadable ||= others.#isUnreadable;
    this.#reasons.push(...others.#reasons.slice(0, shownReasons - this.#reasons.length));
  }

  get errorMessage(): string {
    if (this.count === 0) return "";
    const all = this.#reasons.join("; ");
    const more = this.count - this.#reasons.length;
    return `${this.count} ${this.count === 1 ? "span" : "spans"} rejected: ${all}${more > 0 ? `; and ${more} more` : ""}`;
  }

  /**
   * For formats whose answer can name rejected spans: bytes of which no span at all can be read are no such message.
   * Spans without good ids are spans all the same.
   * @param kept how many spans of the message are good
   * @throws WireError why the first of them cannot be read
   */
  refuseUnreadable(kept: number): void {
    if (kept === 0 && this.#isUnreadable && this.#error !== undefined) throw this.#error;
  }

  /**
   * For formats whose answer says only yes or no: a yes for nothing would hide the loss.
   * @throws WireError why the first of them is rejected, when none of the message is kept
   */
  refuseNothing(kept: number): void {
    if (kept === 0 && this.#error !== undefined) throw this.#error;
  }
}
