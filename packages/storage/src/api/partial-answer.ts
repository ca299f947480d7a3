/** A reason why an answer lacks spans or list entries. */
export interface PartialReason {
  /**
   * - `shard-away`: no server of a shard answers
   * - `part-damaged`: a part of a table is damaged, so ClickHouse detached it
   * - `list-cut`: a list of names or values has more entries than the limit of the request
   */
  readonly kind: "shard-away" | "part-damaged" | "list-cut";
  /**
   * Name of the missing part or cut list. `shard-away`: the shard's number. `part-damaged`: table and part, such as
   * `tracing.spans 20261126_5_5_0`. `list-cut`: scope and name of the attribute.
   */
  readonly name: string;
  /** A sentence for users. */
  readonly text: string;
  /** Start of the first missing span, in milliseconds since the Unix epoch. Absent: no lower bound is known. */
  readonly startUnixMs?: number;
  /** Start of the last missing span, in milliseconds since the Unix epoch. Absent: no upper bound is known. */
  readonly endUnixMs?: number;
}

/** Reasons why spans are missing from an answer. */
export interface PartialAnswer {
  /** The list is never empty. */
  readonly reasons: readonly PartialReason[];
}

/** Collects the reasons why the answer to one request is partial. All reads of the request share one `add`. */
export class PartialReasons {
  readonly #reasons = new Map<string, PartialReason>();

  /** Adds a reason; given to reads as `onPartial`. Reasons with the same kind and name are stored once. */
  readonly add = (reason: PartialReason): void => {
    this.#reasons.set(`${reason.kind} ${reason.name}`, reason);
  };

  /** undefined while the answer is complete */
  get partial(): PartialAnswer | undefined {
    return this.#reasons.size === 0 ? undefined : { reasons: [...this.#reasons.values()] };
  }
}
