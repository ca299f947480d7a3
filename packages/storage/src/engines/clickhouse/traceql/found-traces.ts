import type { TraceQlMatch } from "../../../api/traceql-reader.ts";

/** The newest traces found so far, ordered by their newest matching span, then by id. */
export class FoundTraces {
  readonly #limit: number;
  #found: { readonly match: TraceQlMatch; readonly newest: bigint }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(match: TraceQlMatch, newest: bigint): void {
    this.#found.push({ match, newest });
  }

  /**
   * True when no further trace can become a result. All further traces have no span newer than `newestOfOthers`.
   * @param after traces whose newest span has exactly the time `newestOfOthers` have greater ids than this; "": unknown
   */
  isComplete(newestOfOthers: bigint, after = ""): boolean {
    this.#cut();
    const last = this.#found.at(-1);
    if (this.#found.length < this.#limit || last === undefined) {
      return false;
    }
    return last.newest > newestOfOthers || (last.newest === newestOfOthers && last.match.traceId <= after);
  }

  newestFirst(): TraceQlMatch[] {
    this.#cut();
    return this.#found.map(({ match }) => match);
  }

  #cut(): void {
    this.#found.sort((one, other) =>
      one.newest !== other.newest
        ? one.newest > other.newest
          ? -1
          : 1
        : one.match.traceId < other.match.traceId
          ? -1
          : 1,
    );
    this.#found = this.#found.slice(0, this.#limit);
  }
}
