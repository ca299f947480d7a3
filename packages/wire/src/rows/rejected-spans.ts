const shownNameLength = 100;

/** Counts the spans of one message that are rejected alone, and says why. */
export class RejectedSpans {
  count = 0;
  #first = "";

  /** @param problem what the span has, such as "an empty trace id" */
  add(name: string, problem: string): void {
    if (this.count === 0) {
      const shown = name.length > shownNameLength ? `${name.slice(0, shownNameLength)}…` : name;
      this.#first = `span ${JSON.stringify(shown)} has ${problem}`;
    }
    this.count++;
  }

  get errorMessage(): string {
    if (this.count === 0) return "";
    if (this.count === 1) return `1 span rejected: ${this.#first}`;
    return `${this.count} spans rejected, the first because ${this.#first}`;
  }
}
