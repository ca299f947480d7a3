import type { Static } from "traceql";
import type { AttributeValue } from "wire/model";

/** A keyword of TraceQL, such as `error`, or a value that never equals another value. */
export class Word {
  readonly kind: "status" | "kind" | "opaque";
  readonly value: AttributeValue;

  constructor(kind: Word["kind"], value: AttributeValue) {
    this.kind = kind;
    this.value = value;
  }
}

/** One value. Durations are bigints in nanoseconds. */
export type Scalar = string | bigint | number | boolean | Word;

/**
 * The value of an expression for a span: no value, one value, or several values. Arrays and events give several values.
 */
export type QueryValue = undefined | Scalar | readonly Scalar[];

const words = new Map<string, Word>();

/** Returns the same object for equal keywords. */
export function wordOf(kind: "status" | "kind", text: string): Word {
  const key = `${kind} ${text}`;
  let word = words.get(key);
  if (word === undefined) {
    word = new Word(kind, { type: "string", value: text });
    words.set(key, word);
  }
  return word;
}

export function staticValue(value: Static): Scalar {
  return value.type === "status" || value.type === "kind" ? wordOf(value.type, value.value) : value.value;
}

/** Converts an attribute's value. An empty value counts as absent; an array gives its elements. */
export function attributeQueryValue(value: AttributeValue): QueryValue {
  if (value.type === "empty") {
    return undefined;
  }
  return value.type === "array" ? value.value.map(scalarOf) : scalarOf(value);
}

function scalarOf(value: AttributeValue): Scalar {
  switch (value.type) {
    case "string":
    case "bool":
    case "int":
    case "double":
      return value.value;
    default:
      return new Word("opaque", value);
  }
}

/** Converts a value to the form in answers. */
export function toAttributeValue(value: QueryValue): AttributeValue {
  if (value === undefined) {
    return { type: "empty" };
  }
  if (isList(value)) {
    return { type: "array", value: value.map(toAttributeValue) };
  }
  switch (typeof value) {
    case "string":
      return { type: "string", value };
    case "bigint":
      return { type: "int", value };
    case "number":
      return { type: "double", value };
    case "boolean":
      return { type: "bool", value };
    default:
      return value.value;
  }
}

export function isList(value: QueryValue): value is readonly Scalar[] {
  return Array.isArray(value);
}

/** True for a number to calculate with. Durations are in nanoseconds. */
export function isNumber(value: QueryValue): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}
