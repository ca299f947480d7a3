import { type KeyValue, ValueType } from "wire/api-v2-model";

const maxSafeInteger = BigInt(Number.MAX_SAFE_INTEGER);

/** Keys come from a small set and repeat in every span, so their JSON is cached. */
const quotedKeys = new Map<string, string>();
const maxQuotedKeys = 10_000;

/** The cached JSON of a text that is likely to occur again. */
export function quoteRepeated(text: string): string {
  let quoted = quotedKeys.get(text);
  if (quoted === undefined) {
    quoted = JSON.stringify(text);
    if (quotedKeys.size >= maxQuotedKeys) {
      quotedKeys.clear();
    }
    quotedKeys.set(text, quoted);
  }
  return quoted;
}

/**
 * Writes NaN and the infinities by name, because JSON has no number for them. Jaeger fails the whole answer
 * instead.
 */
export function floatJson(value: number): string {
  if (Number.isFinite(value)) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  return `"${value}"`;
}

/** A browser would round a number above 2^53, so larger numbers become strings. */
export function int64Json(value: bigint): string {
  return value > maxSafeInteger || value < -maxSafeInteger ? `"${value}"` : String(value);
}

function typeAndValue(tag: KeyValue): string {
  switch (tag.vType) {
    case ValueType.STRING:
      return `"string","value":${JSON.stringify(tag.vStr)}}`;
    case ValueType.BOOL:
      return tag.vBool ? '"bool","value":true}' : '"bool","value":false}';
    case ValueType.INT64:
      return `"int64","value":${int64Json(tag.vInt64)}}`;
    case ValueType.FLOAT64:
      return `"float64","value":${floatJson(tag.vFloat64)}}`;
    case ValueType.BINARY:
      // Jaeger writes empty bytes this way.
      return tag.vBinary.length === 0
        ? '"binary","value":null}'
        : `"binary","value":"${tag.vBinary.toString("base64")}"}`;
    default:
      return `"unknown type ${tag.vType}","value":null}`;
  }
}

/** Writes a tag, or a field of a log, as `{"key","type","value"}`. */
export function tagJson(tag: KeyValue): string {
  return `{"key":${quoteRepeated(tag.key)},"type":${typeAndValue(tag)}`;
}

/** Writes tags, or fields of a log, as a JSON array. */
export function tagsJson(tags: readonly KeyValue[]): string {
  let json = "[";
  for (const tag of tags) {
    if (json.length > 1) {
      json += ",";
    }
    json += tagJson(tag);
  }
  return `${json}]`;
}
