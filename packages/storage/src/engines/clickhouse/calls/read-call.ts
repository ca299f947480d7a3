import type { PartialReason } from "../../../api/partial-answer.ts";
import type { ReadOptions } from "../../../api/span-reader.ts";

/** What reads are for: those of a kind take about as long as each other. */
export type ReadKind =
  | "trace"
  | "search"
  | "traceql"
  | "names"
  | "metrics"
  | "analysis"
  | "catalog"
  | "other";

/** How a read is made. */
export interface ReadCall {
  readonly signal?: AbortSignal | undefined;
  /** "other" by default. */
  readonly kind?: ReadKind;
  /** Gets the reasons why rows are missing. Absent: a read fails that would lack rows. */
  readonly onPartial?: ((reason: PartialReason) => void) | undefined;
  /** The statement names what it looks for, so that not all shards are asked: one that is away may not matter. */
  readonly isOfFewShards?: boolean;
}

/** The read of a store's reader, as its caller asks for it. */
export function readCall(
  { signal, onPartial }: ReadOptions,
  kind: ReadKind,
  isOfFewShards = false,
): ReadCall {
  return { signal, onPartial, kind, isOfFewShards };
}

/** Header with which `tracing-storage` says that an answer lacks rows: a list of reasons, as JSON. */
const partialHeader = "x-tracing-partial";

/** What an answer lacks, as its header says. A header that is none of ours says nothing. */
export function partialReasonsOf(headers: Readonly<Record<string, unknown>>): readonly PartialReason[] {
  const text = headers[partialHeader];
  if (typeof text !== "string") return [];
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
