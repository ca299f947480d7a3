import type { ApiTrace } from "../api-trace.ts";
import { adjustClockSkew } from "./clock-skew.ts";
import { removeDuplicateSpans } from "./duplicate-spans.ts";
import { showIpTags } from "./ip-tags.ts";
import { putParentFirst, removeBadReferences } from "./references.ts";
import { moveSdkTags } from "./sdk-tags.ts";
import { sortTagsAndFields } from "./sorting.ts";
import { giveUniqueSpanIds } from "./unique-span-ids.ts";

/** Settings of the adjusters. */
export interface AdjustOptions {
  /** Largest clock skew that is corrected, in nanoseconds; 0 disables the correction. */
  readonly maxClockSkewNano: bigint;
}

/**
 * Prepares a stored trace for display. Changes `trace` itself.
 *
 * The steps follow the public model's release 1.62, but duplicates are removed before ids and clocks
 * change. In the public model a changed id, or a clock warning, makes a duplicate differ from its original,
 * so that it stays.
 */
export function adjustTrace(trace: ApiTrace, { maxClockSkewNano }: AdjustOptions): void {
  showIpTags(trace);
  moveSdkTags(trace);
  sortTagsAndFields(trace); // First, because duplicates may differ in the order of their tags.
  removeDuplicateSpans(trace);
  giveUniqueSpanIds(trace);
  adjustClockSkew(trace, maxClockSkewNano);
  removeBadReferences(trace);
  putParentFirst(trace);
}
