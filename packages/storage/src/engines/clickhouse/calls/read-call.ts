import type { PartialReason } from "../../../api/partial-answer.ts";
import type { ReadOptions } from "../../../api/span-reader.ts";

/** Purpose of a read. Reads of one kind have similar durations. */
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
  /** Kind of the read. Default: "other". */
  readonly kind?: ReadKind;
  /** Called with the reasons why rows are missing. Absent: a read fails if rows are missing. */
  readonly onPartial?: ((reason: PartialReason) => void) | undefined;
  /** True: the statement contains ids, so that it reads only some shards. A missing shard may then not matter. */
  readonly isOfFewShards?: boolean;
}

/** Converts the options of a store's reader into options of a call. */
export function readCall(
  { signal, onPartial }: ReadOptions,
  kind: ReadKind,
  isOfFewShards = false,
): ReadCall {
  return { signal, onPartial, kind, isOfFewShards };
}

/** Header with which `tracing-storage` marks an answer that lacks rows. Its value is a JSON list of reasons. */
const partialHeader = "x-tracing-partial";

/** Reads the reasons from the header. An unreadable header gives no reasons. */
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
