import { type KeyValue, ValueType } from "wire/api-v2-model";
import type { ApiTrace } from "../api-trace.ts";

/**
 * Shows addresses that clients sent as numbers (tags `ip` and `peer.ipv4`) in dotted form.
 *
 * ```
 * before  peer.ipv4 = 2130706433 (int64)     after  peer.ipv4 = "127.0.0.1" (string)
 * ```
 */
export function showIpTags(trace: ApiTrace): void {
  for (const span of trace.spans) {
    showIn(span.tags);
    showIn(span.process?.tags ?? []);
  }
}

function showIn(tags: KeyValue[]): void {
  for (let index = 0; index < tags.length; index++) {
    tags[index] = withIpShown(tags[index] as KeyValue);
  }
}

/** Returns the tag unchanged, unless the tag holds an address as a number. */
export function withIpShown(tag: KeyValue): KeyValue {
  if (tag.key !== "ip" && tag.key !== "peer.ipv4") {
    return tag;
  }
  const address = addressOf(tag);
  return address === undefined
    ? tag
    : { ...tag, vType: ValueType.STRING, vStr: ipText(address), vInt64: 0n, vFloat64: 0 };
}

/** The address as a number; undefined for a value that is not a finite number, which is shown unchanged. */
function addressOf(tag: KeyValue): bigint | undefined {
  if (tag.vType === ValueType.INT64) {
    return tag.vInt64;
  }
  return tag.vType === ValueType.FLOAT64 && Number.isFinite(tag.vFloat64)
    ? BigInt(Math.trunc(tag.vFloat64))
    : undefined;
}

/** An IPv4 address in dotted form. @param address 32 bits as a number; higher bits are ignored */
export function ipText(address: bigint): string {
  const bits = Number(BigInt.asUintN(32, address));
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

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
