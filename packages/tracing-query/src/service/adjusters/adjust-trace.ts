import type { ApiTrace } from "../api-trace.ts";
import { adjustClockSkew } from "./clock-skew.ts";
import { removeDuplicateSpans } from "./duplicate-spans.ts";
import { showIpTags } from "./ip-tags.ts";
import { putParentFirst, removeBadReferences } from "./references.ts";
import { moveSdkTags } from "./sdk-tags.ts";
import { sortTagsAndFields } from "./sorting.ts";
import { giveUniqueSpanIds } from "./unique-span-ids.ts";

export interface AdjustOptions {
  /** Largest clock skew that is corrected, in nanoseconds; 0 corrects none. */
  readonly maxClockSkewNano: bigint;
}

/**
 * Makes a trace, as its senders sent it, fit to be looked at. Changes `trace` itself.
 *
 * The steps are those of the public model's release 1.62, but its clock step comes before the removal of duplicates:
 * its warning about a repeated id makes the duplicate differ, so that it stays. Here the clock step comes after it.
 */
export function adjustTrace(trace: ApiTrace, { maxClockSkewNano }: AdjustOptions): void {
  giveUniqueSpanIds(trace);
  showIpTags(trace);
  moveSdkTags(trace);
  sortTagsAndFields(trace); // Before the removal: duplicates may differ in the order of their tags.
  removeDuplicateSpans(trace);
  adjustClockSkew(trace, maxClockSkewNano);
  removeBadReferences(trace);
  putParentFirst(trace);
}
