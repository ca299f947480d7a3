/** A reason why spans, or entries of a list, are missing from an answer. */
export interface PartialReason {
  /**
   * - `shard-away`: no server of a shard of the cluster answers
   * - `part-damaged`: a part of a table is damaged and set aside
   * - `list-cut`: a list of names or values has more entries than the limit of the request
   */
  readonly kind: "shard-away" | "part-damaged" | "list-cut";
  /**
   * The shard's number in the cluster; or table and name of the damaged part: `tracing.spans 20261126_5_5_0`; or scope
   * and name of the attribute whose list was cut.
   */
  readonly name: string;
  /** A sentence for people. */
  readonly text: string;
  /** When the first and the last of the missing spans start, milliseconds since the Unix epoch; absent: at any time. */
  readonly startUnixMs?: number;
  /** End of the time that is missing; absent when it is not known. */
  readonly endUnixMs?: number;
}

/** Reasons why spans are missing from an answer. */
export interface PartialAnswer {
  /** Never empty. */
  readonly reasons: readonly PartialReason[];
}

/** Collects why the answer to one request is partial: all reads of that request get the same `add`. */
export class PartialReasons {
  readonly #reasons = new Map<string, PartialReason>();

  /** Bound, to be given to reads as `onPartial`. A reason with the same kind and name counts once. */
  readonly add = (reason: PartialReason): void => {
    this.#reasons.set(`${reason.kind} ${reason.name}`, reason);
  };

  /** undefined while the answer is complete */
  get partial(): PartialAnswer | undefined {
    return this.#reasons.size === 0 ? undefined : { reasons: [...this.#reasons.values()] };
  }
}
