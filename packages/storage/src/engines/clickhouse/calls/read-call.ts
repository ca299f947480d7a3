import type { PartialReason } from "../../../api/partial-answer.ts";
import type { ReadOptions } from "../../../api/span-reader.ts";

/** The purposes of reads. Reads of one kind have similar durations. */
export type ReadKind =
  | "trace"
  | "search"
  | "traceql"
  | "names"
  | "metrics"
  | "analysis"
  | "catalog"
  | "other";

/** Options of one read. */
export interface ReadCall {
  /** Cancels the read on the server too. */
  readonly signal?: AbortSignal | undefined;
  /** "other" by default. */
  readonly kind?: ReadKind;
  /** Gets the reasons why rows are missing. Absent: a read fails that would lack rows. */
  readonly onPartial?: ((reason: PartialReason) => void) | undefined;
  /** True: the statement names ids, so only some shards are read, and an absent shard may not matter. */
  readonly isOfFewShards?: boolean;
}

/** Turns the options of a reader's caller into those of a read. */
export function readCall(
  { signal, onPartial }: ReadOptions,
  kind: ReadKind,
  isOfFewShards = false,
): ReadCall {
  return { signal, onPartial, kind, isOfFewShards };
}

/** The header of `tracing-storage` for an answer that lacks rows: a JSON list of reasons. */
const partialHeader = "x-tracing-partial";

/** The reasons in that header; none for a header that does not parse. */
export function partialReasonsOf(headers: Readonly<Record<string, unknown>>): readonly PartialReason[] {
  const text = headers[partialHeader];
  if (typeof text !== "string") {
    return [];
  }
  try {
    const reasons: unknown = JSON.parse(text);
    return Array.isArray(reasons) ? reasons.filter(isReason) : [];
  } catch {
    return [];
  }
}

function isReason(value: unknown): value is PartialReason {
  const { kind, name, text } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isKnown = kind === "shard-away" || kind === "part-damaged";
  return isKnown && typeof name === "string" && typeof text === "string";
}
