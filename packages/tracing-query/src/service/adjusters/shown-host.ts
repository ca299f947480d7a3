import type { Span } from "wire/model";
import { toApiTrace } from "../api-trace.ts";
import { hostOf } from "./clock-skew.ts";
import { showIpTags } from "./ip-tags.ts";
import { sortTagsAndFields } from "./sorting.ts";

/** What `hostOf` says once the steps before the clocks are done. It is the same for all spans of one resource. */
export function shownHost(span: Span): string {
  const trace = toApiTrace({
    traceId: span.traceId,
    spans: [{ ...span, attributes: [], events: [], links: [] }],
  });
  showIpTags(trace);
  sortTagsAndFields(trace);
  const [shown] = trace.spans;
  return shown === undefined ? "" : hostOf(shown);
}
