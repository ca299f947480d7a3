// OpenTelemetry's exporters encode data for which Zipkin has no field in plain texts. The attributes of an event are in
// the text of an annotation, `name|{"key":"value"}|0`; a link is a tag, `traceId|spanId|traceState|{…}|0`. The last
// number is the count of dropped attributes. Source: opentelemetry-collector-contrib pkg/translator/zipkin/zipkinv2
// 0.111.
import { type Attribute, type AttributeValue, maxAttributeDepth } from "../model/attribute.ts";
import type { SpanLink } from "../model/span.ts";

/** The count has 32 bits. */
const mostDropped = 0xffff_ffff;
/** Maximum number of pipes in a trace state, because the text after each pipe may have to be parsed as JSON. */
const maxPipesInState = 16;
const noTraceId = "0".repeat(32);
const noSpanId = "0".repeat(16);

/** An event without a time. */
export interface EncodedEvent {
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
}

/** The event in an annotation's text. Undefined for plain text, which may also contain pipes. */
export function parseEncodedEvent(text: string): EncodedEvent | undefined {
  const nameEnd = text.indexOf("|");
  const dropped = droppedAttributesOf(text);
  const attributes = attributesOf(text.slice(nameEnd + 1, text.lastIndexOf("|")));
  if (nameEnd === text.lastIndexOf("|") || dropped === undefined || attributes === undefined) {
    return undefined;
  }
  return { name: text.slice(0, nameEnd), attributes, droppedAttributesCount: dropped };
}

/** The link in a tag's value; undefined when the value is not a link. The trace state of a link may contain pipes. */
export function parseEncodedLink(text: string): SpanLink | undefined {
  const [traceId = "", spanId = ""] = text.split("|", 2);
  const dropped = droppedAttributesOf(text);
  const stateStart = traceId.length + spanId.length + 2;
  const attributesEnd = text.lastIndexOf("|");
  if (dropped === undefined || attributesEnd < stateStart) {
    return undefined;
  }
  if (!/^([0-9a-fA-F]{32})?$/.test(traceId) || !/^([0-9a-fA-F]{16})?$/.test(spanId)) {
    return undefined;
  }
  let stateEnd = text.indexOf("|", stateStart);
  for (let tries = 0; tries < maxPipesInState && stateEnd !== -1 && stateEnd < attributesEnd; tries++) {
    const attributes = attributesOf(text.slice(stateEnd + 1, attributesEnd));
    if (attributes !== undefined) {
      return {
        traceId: traceId.toLowerCase() || noTraceId,
        spanId: spanId.toLowerCase() || noSpanId,
        traceState: text.slice(stateStart, stateEnd),
        attributes,
        droppedAttributesCount: dropped,
        flags: 0,
        refType: "none",
      };
    }
    stateEnd = text.indexOf("|", stateEnd + 1);
  }
  return undefined;
}

/** The number after the last pipe; undefined without such a number. */
function droppedAttributesOf(text: string): number | undefined {
  const digits = text.slice(text.lastIndexOf("|") + 1);
  if (!/^\d{1,10}$/.test(digits)) {
    return undefined;
  }
  const dropped = Number(digits);
  return dropped <= mostDropped ? dropped : undefined;
}

/** Attributes of a JSON object; `null` means no attributes. Undefined for text that is not an object. */
function attributesOf(json: string): Attribute[] | undefined {
  if (json === "null") {
    return [];
  }
  if (!json.startsWith("{") || !json.endsWith("}")) {
    return undefined;
  }
  try {
    const value = attributeValueOf(JSON.parse(json, exactInt), 0);
    return value.type === "kvlist" ? [...value.value] : undefined;
  } catch {
    return undefined;
  }
}

/** Converts integers above 2^53 from their source text to bigints, because their doubles have lost digits. */
function exactInt(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) {
    return value;
  }
  const source = context?.source ?? "";
  return /^-?\d{1,20}$/.test(source) ? BigInt(source) : value;
}

/** @param depth number of lists and objects that contain the value. @throws RangeError above `maxAttributeDepth` */
function attributeValueOf(json: unknown, depth: number): AttributeValue {
  if (depth > maxAttributeDepth) {
    throw new RangeError("nested too deep");
  }
  switch (typeof json) {
    case "string":
      return { type: "string", value: json.toWellFormed() };
    case "boolean":
      return { type: "bool", value: json };
    case "bigint":
      return BigInt.asIntN(64, json) === json
        ? { type: "int", value: json }
        : { type: "double", value: Number(json) };
    case "number":
      return Number.isSafeInteger(json)
        ? { type: "int", value: BigInt(json) }
        : { type: "double", value: json };
    default:
      break;
  }
  if (json === null) {
    return { type: "empty" };
  }
  if (Array.isArray(json)) {
    return { type: "array", value: json.map((item) => attributeValueOf(item, depth + 1)) };
  }
  return {
    type: "kvlist",
    value: Object.entries(json as object).map(([key, value]) => ({
      key: key.toWellFormed(),
      value: attributeValueOf(value, depth + 1),
    })),
  };
}
