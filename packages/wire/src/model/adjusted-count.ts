import type { Attribute } from "./attribute.ts";
import type { Span } from "./span.ts";

/** Thresholds are numbers of 56 bits; a trace is kept when its randomness is at least the threshold. */
const thresholdDigits = 14;
const allTraces = 2n ** 56n;

/** The entry of OpenTelemetry in a list of `key=value`, and the threshold in it. */
const entryOfOtel = /(?:^|,)[ \t]*ot=([^,]*)/;
const thresholdInEntry = /(?:^|;)th:([0-9a-f]{1,14})[ \t]*(?:;|$)/;

/**
 * The sampling threshold that a `tracestate` states: 0 when all traces were kept.
 * Source: OpenTelemetry specification, "TraceState: Probability Sampling".
 * @returns undefined without a threshold, and for a threshold that is not 1 to 14 lower-case hex digits
 */
export function samplingThreshold(traceState: string): bigint | undefined {
  const digits = thresholdInEntry.exec(entryOfOtel.exec(traceState)?.[1] ?? "")?.[1];
  return digits === undefined ? undefined : BigInt(`0x${digits.padEnd(thresholdDigits, "0")}`);
}

/** The share of traces that is kept with a threshold: above 0, at most 1. */
export function probabilityOf(threshold: bigint): number {
  return Number(allTraces - threshold) / Number(allTraces);
}

/**
 * The `tracestate` with this threshold instead of its own. Other entries, and other fields of OpenTelemetry's, stay.
 * @param probability above 0, at most 1; undefined when it is not known, which removes the threshold
 */
export function withSamplingProbability(traceState: string, probability: number | undefined): string {
  const entries = traceState.split(",").filter((entry) => entry.trim() !== "");
  const isOtel = (entry: string) => entry.trim().startsWith("ot=");
  const own = entries.find(isOtel)?.trim().slice("ot=".length) ?? "";
  const fields = own.split(";").filter((field) => field !== "" && !field.startsWith("th:"));
  const stated = probability === undefined ? fields : [`th:${thresholdText(probability)}`, ...fields];
  const others = entries.filter((entry) => !isOtel(entry));
  // Whoever changes an entry of a tracestate puts it first.
  return [...(stated.length === 0 ? [] : [`ot=${stated.join(";")}`]), ...others].join(",");
}

/** Hexadecimal digits without zeros at the end; "0" when everything is kept. */
function thresholdText(probability: number): string {
  const rejected = BigInt(Math.round((1 - probability) * 2 ** 56));
  const threshold = rejected < allTraces ? rejected : allTraces - 1n;
  return threshold.toString(16).padStart(thresholdDigits, "0").replace(/0+$/, "") || "0";
}

/**
 * The number of spans that a span stands for, as its sampler states it, in four significant digits.
 *
 * - `tracestate` with `ot=th:…`, on any span.
 * - A root span's `sampling.probability`, or `sampler.param` beside `sampler.type`, with or without `jaeger.` in
 *   front. On other spans they are no probability: a child follows the choice of its root.
 *
 * `adjusted-count-sql.ts` of storage computes the same in the store.
 * @returns 0 when nothing tells the probability; 1 when everything was kept
 */
export function adjustedCount(span: Pick<Span, "traceState" | "parentSpanId" | "attributes">): number {
  const stated = countOfTraceState(span.traceState);
  if (stated !== undefined) {
    return stated;
  }
  const probability = span.parentSpanId === "" ? probabilityInTags(textIn(span.attributes)) : undefined;
  return probability === undefined ? 0 : countOfProbability(probability);
}

/** `adjustedCount` of a span with this `tracestate`. @returns undefined when it states no threshold */
export function countOfTraceState(traceState: string): number | undefined {
  const threshold = samplingThreshold(traceState);
  return threshold === undefined
    ? undefined
    : inFourDigits(Number(allTraces) / Number(allTraces - threshold));
}

/** The adjusted count of a span that was kept with a probability, in four digits. @param probability above 0, at most 1 */
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
 * The probability in the tags of a root span, as `adjustedCount` describes them.
 * @param textOf the text of a span's attribute
 * @returns above 0, at most 1; undefined when the tags state none
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
 * Samplers cut thresholds to few digits: a tenth is 10.0001525 times. Also, the store sums spans by this number, so
 * that there must not be one for each span.
 */
function inFourDigits(count: number): number {
  const scale = 10 ** (3 - Math.floor(Math.log10(count)));
  return count < 1e4 ? Math.round(count * scale) / scale : Math.round(count * scale) * Math.round(1 / scale);
}
