import type { Attribute } from "./attribute.ts";
import type { Span } from "./span.ts";

/**
 * Number of hex digits of a threshold, which has 56 bits. A sampler keeps a trace when the trace's randomness is at
 * least the threshold.
 */
const thresholdDigits = 14;
const allTraces = 2n ** 56n;

/** The OpenTelemetry entry in a list of `key=value`, and the threshold inside the entry. */
const entryOfOtel = /(?:^|,)[ \t]*ot=([^,]*)/;
const thresholdInEntry = /(?:^|;)th:([0-9a-f]{1,14})[ \t]*(?:;|$)/;

/**
 * The sampling threshold in a `tracestate`; 0 means that all traces were kept. Source: OpenTelemetry specification,
 * "TraceState: Probability Sampling".
 * @returns undefined for a missing threshold, and for a threshold in another form than 1 to 14 lower-case hex digits
 */
export function samplingThreshold(traceState: string): bigint | undefined {
  const digits = thresholdInEntry.exec(entryOfOtel.exec(traceState)?.[1] ?? "")?.[1];
  return digits === undefined ? undefined : BigInt(`0x${digits.padEnd(thresholdDigits, "0")}`);
}

/** The share of traces that a threshold keeps: greater than 0, at most 1. */
export function probabilityOf(threshold: bigint): number {
  return Number(allTraces - threshold) / Number(allTraces);
}

/**
 * Replaces the threshold in a `tracestate`. Other entries stay, and so do other fields of OpenTelemetry's entry.
 * @param probability above 0, at most 1; undefined (unknown) removes the threshold
 */
export function withSamplingProbability(traceState: string, probability: number | undefined): string {
  const entries = traceState.split(",").filter((entry) => entry.trim() !== "");
  const isOtel = (entry: string) => entry.trim().startsWith("ot=");
  const own = entries.find(isOtel)?.trim().slice("ot=".length) ?? "";
  const fields = own.split(";").filter((field) => field !== "" && !field.startsWith("th:"));
  const stated = probability === undefined ? fields : [`th:${thresholdText(probability)}`, ...fields];
  const others = entries.filter((entry) => !isOtel(entry));
  // W3C Trace Context: an entry that was changed must be the first entry of a tracestate.
  return [...(stated.length === 0 ? [] : [`ot=${stated.join(";")}`]), ...others].join(",");
}

/** Threshold in hexadecimal digits without trailing zeros; "0" when every trace is kept. */
function thresholdText(probability: number): string {
  const rejected = BigInt(Math.round((1 - probability) * 2 ** 56));
  const threshold = rejected < allTraces ? rejected : allTraces - 1n;
  return threshold.toString(16).padStart(thresholdDigits, "0").replace(/0+$/, "") || "0";
}

/**
 * The number of original spans that a span represents, with four significant digits, computed from one of these
 * sources:
 *
 * - `tracestate` with `ot=th:…`, on any span.
 * - A root span's `sampling.probability`, or `sampler.param` beside `sampler.type`, with or without the prefix
 *   `jaeger.`. The tags of other spans are ignored, because a child follows the decision of its root.
 *
 * `adjusted-count-sql.ts` of storage computes the same number in SQL.
 * @returns 0 for an unknown probability; 1 when every span was kept
 */
export function adjustedCount(span: Pick<Span, "traceState" | "parentSpanId" | "attributes">): number {
  const stated = countOfTraceState(span.traceState);
  if (stated !== undefined) {
    return stated;
  }
  const probability = span.parentSpanId === "" ? probabilityInTags(textIn(span.attributes)) : undefined;
  return probability === undefined ? 0 : countOfProbability(probability);
}

/** `adjustedCount` of a span with this `tracestate`. @returns undefined for a tracestate without a threshold */
export function countOfTraceState(traceState: string): number | undefined {
  const threshold = samplingThreshold(traceState);
  return threshold === undefined
    ? undefined
    : inFourDigits(Number(allTraces) / Number(allTraces - threshold));
}

/**
 * Adjusted count of a span that was sampled with a probability; it has four significant digits. @param probability
 * greater than 0, at most 1
 */
export function countOfProbability(probability: number): number {
  return inFourDigits(1 / probability);
}

function textIn(attributes: readonly Attribute[]): (key: string) => string | undefined {
  return (key) => {
    const value = attributes.find((attribute) => attribute.key === key)?.value;
    return value !== undefined && "value" in value ? String(value.value) : undefined;
  };
}

/**
 * The probability in the tags of a root span; `adjustedCount` describes these tags.
 * @param textOf returns the text of a span's attribute
 * @returns greater than 0, at most 1; undefined without a probability in the tags
 */
export function probabilityInTags(textOf: (key: string) => string | undefined): number | undefined {
  const probability = statedInTags(textOf);
  return probability !== undefined && probability > 0 && probability <= 1 ? probability : undefined;
}

function statedInTags(textOf: (key: string) => string | undefined): number | undefined {
  const stated = textOf("sampling.probability");
  if (stated !== undefined) {
    return Number(stated);
  }
  for (const prefix of ["", "jaeger."]) {
    const param = textOf(`${prefix}sampler.param`);
    switch (textOf(`${prefix}sampler.type`)) {
      case "probabilistic":
        return Number(param);
      case "const":
        return param === "true" ? 1 : undefined;
    }
  }
  return undefined;
}

/**
 * Rounds to four significant digits. Without rounding, shortened thresholds would give a count such as 10.0001525 for a
 * probability of 1/10. The store also groups spans by this number, so spans with the same sampling must have the same
 * number.
 */
function inFourDigits(count: number): number {
  const scale = 10 ** (3 - Math.floor(Math.log10(count)));
  return count < 1e4 ? Math.round(count * scale) / scale : Math.round(count * scale) * Math.round(1 / scale);
}
