import type { ApiTrace } from "../api-trace.ts";

/** Tags that describe the sender's SDK. */
export const sdkKeys: ReadonlySet<string> = new Set([
  "telemetry.sdk.language",
  "telemetry.sdk.name",
  "telemetry.sdk.version",
  "telemetry.distro.name",
  "telemetry.distro.version",
]);

/**
 * Moves the tags that describe the sender's SDK from the span to its process, where they belong.
 *
 * ```
 * before  span tags http.method, telemetry.sdk.name    process tags host.name
 * after   span tags http.method                        process tags host.name, telemetry.sdk.name
 * ```
 */
export function moveSdkTags(trace: ApiTrace): void {
  for (const span of trace.spans) {
    const moved = span.tags.filter((tag) => sdkKeys.has(tag.key));
    if (moved.length > 0 && span.process !== undefined) {
      span.tags = span.tags.filter((tag) => !sdkKeys.has(tag.key));
      span.process = { ...span.process, tags: [...span.process.tags, ...moved] };
    }
  }
}
