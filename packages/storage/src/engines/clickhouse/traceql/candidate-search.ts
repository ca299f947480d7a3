import { StorageError } from "../../../api/storage-error.ts";
import type { TraceQlSearch } from "../../../api/traceql-reader.ts";
import { newestStart, type TraceMatcher } from "../../../traceql/trace-match.ts";
import type { TraceView } from "../../../traceql/trace-view.ts";
import { FoundTraces } from "./found-traces.ts";

/**
 * Maximum number of spans that one query may read from the store one by one. A query that needs more fails with a hint.
 */
const maxInspectedSpans = 5_000_000;

/** A trace that may match, and its newest span that may be in the result. */
export interface Candidate {
  readonly traceId: string;
  /** Start of the newest span that can be in the result. */
  readonly newest: string;
}

/** One search: evaluates candidates once each, and keeps the newest traces that match. */
export class CandidateSearch {
  readonly #matcher: TraceMatcher;
  readonly #found: FoundTraces;
  readonly #viewsOf: (candidates: readonly Candidate[]) => Promise<readonly TraceView[]>;
  /** Ids of the traces that were evaluated. A trace can be in several time slices. */
  readonly #seen = new Set<string>();
  #inspectedSpans = 0;

  /**
   * @param limit maximum number of traces in the result
   * @param viewsOf reads the spans of traces
   */
  constructor(
    matcher: TraceMatcher,
    limit: number,
    viewsOf: (candidates: readonly Candidate[]) => Promise<readonly TraceView[]>,
  ) {
    this.#matcher = matcher;
    this.#found = new FoundTraces(limit);
    this.#viewsOf = viewsOf;
  }

  /** The traces that match so far, newest first. */
  get result(): TraceQlSearch {
    return { traces: this.#found.newestFirst(), inspectedSpans: this.#inspectedSpans };
  }

  /**
   * Evaluates candidates, newest first, until no further candidate can be in the result.
   * @param perRead traces whose spans one statement reads
   * @throws StorageError STORAGE_BAD_QUERY after too many spans
   */
  async inspect(candidates: readonly Candidate[], perRead: number): Promise<void> {
    const fresh = candidates.filter(({ traceId }) => !this.#seen.has(traceId));
    for (let first = 0; first < fresh.length; first += perRead) {
      const some = fresh.slice(first, first + perRead);
      for (const { traceId } of some) {
        this.#seen.add(traceId);
      }
      for (const view of await this.#viewsOf(some)) {
        this.#inspectedSpans += view.spans.length;
        const sets = this.#matcher.setsOf(view);
        if (sets.length > 0) {
          this.#found.add(this.#matcher.match(view, sets), newestStart(sets));
        }
      }
      checkInspected(this.#inspectedSpans);
      if (this.isCompleteAt(some.at(-1))) {
        break;
      }
    }
  }

  /** @param last the last evaluated candidate; undefined when no candidate existed, so that none is left either */
  isCompleteAt(last: Candidate | undefined): boolean {
    return last === undefined || this.#found.isComplete(BigInt(last.newest), last.traceId);
  }

  /** True when a trace whose spans all start before this time cannot be in the result. */
  isCompleteBefore(unixNano: bigint): boolean {
    return this.#found.isComplete(unixNano);
  }
}

/** @throws StorageError STORAGE_BAD_QUERY when a query reads too many spans out of the store */
export function checkInspected(spans: number): void {
  if (spans > maxInspectedSpans) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      `the query has to look at more than ${maxInspectedSpans} spans one by one: name more conditions, or a shorter time`,
    );
  }
}
