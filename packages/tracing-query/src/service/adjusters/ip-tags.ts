import { type KeyValue, ValueType } from "wire/api-v2-model";
import type { ApiTrace } from "../api-trace.ts";
import { ipText } from "./ip-text.ts";

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

/** Returns the tag itself, unless it holds an address as a number. */
export function withIpShown(tag: KeyValue): KeyValue {
  if (tag.key !== "ip" && tag.key !== "peer.ipv4") {
    return tag;
  }
  const address = addressOf(tag);
  return address === undefined
    ? tag
    : { ...tag, vType: ValueType.STRING, vStr: ipText(address), vInt64: 0n, vFloat64: 0 };
}

/** The number of an address; undefined for a text, which is shown unchanged. */
function addressOf(tag: KeyValue): bigint | undefined {
  if (tag.vType === ValueType.INT64) {
    return tag.vInt64;
  }
  return tag.vType === ValueType.FLOAT64 && Number.isFinite(tag.vFloat64)
    ? BigInt(Math.trunc(tag.vFloat64))
    : undefined;
}
