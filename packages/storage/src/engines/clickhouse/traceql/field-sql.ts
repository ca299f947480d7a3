import type { AttributeField, Field } from "traceql";
import { attributeTypeLetters } from "wire/rows";
import { isOfEach } from "../../../traceql/stored-value.ts";
import {
  type AttributeParts,
  attributeTexts,
  firstElement,
  hasArray,
  hasElement,
  hasKey,
  partsOfElement,
} from "../attribute-text-sql.ts";
import {
  eventAttributes,
  eventNames,
  eventText,
  eventTimes,
  scopeName,
  scopeVersion,
} from "../event-text-sql.ts";
import { detailOf } from "../span-details-sql.ts";
import { bytesLiteral, textLiteral } from "../sql-text.ts";
import { equalTexts, type StoredText } from "./equal-texts.ts";
import { attributeTest, intTest, textTest, type ValueTest } from "./value-test.ts";

const nullNumber = "CAST(NULL, 'Nullable(Float64)')";
/** A span that ends before it starts has duration 0. */
export const lengthSql = "greatest(duration, 0)";
const noParent = "toFixedString('', 8)";

/** SQL for the attributes of each event or link, as tuples of key, type and text. */
const attributesOfEach = {
  event: eventAttributes,
  link: `arrayMap(l -> l.4, ${detailOf("links")})`,
} as const;

const scopeAttributes = detailOf("scope_attributes");

/** A column, or an expression on columns, that every span has. */
interface PlainField {
  readonly sql: string;
  readonly type: "text" | "int" | "status" | "kind";
}

/** A field that is a list for each span, and absent when the list is empty. */
interface ListField {
  readonly sql: string;
  readonly type: "text" | "int";
}

function plainField(field: Field): PlainField | undefined {
  if (field.type === "attribute") {
    return field.scope === "resource" && field.name === "service.name" && !field.ofParent
      ? { sql: "service", type: "text" }
      : undefined;
  }
  switch (field.name) {
    case "span:duration":
      return { sql: lengthSql, type: "int" };
    case "span:name":
      return { sql: "name", type: "text" };
    case "span:status":
      return { sql: "status", type: "status" };
    case "span:statusMessage":
      return { sql: "status_message", type: "text" };
    case "span:kind":
      return { sql: "kind", type: "kind" };
    case "span:id":
      return { sql: "lower(hex(span_id))", type: "text" };
    case "span:parentID":
      return { sql: `if(parent_span_id = ${noParent}, '', lower(hex(parent_span_id)))`, type: "text" };
    case "trace:id":
      return { sql: "lower(hex(trace_id))", type: "text" };
    case "instrumentation:name":
      return { sql: scopeName, type: "text" };
    case "instrumentation:version":
      return { sql: scopeVersion, type: "text" };
    default:
      return undefined;
  }
}

function listField(field: Field): ListField | undefined {
  if (field.type === "attribute") {
    return undefined;
  }
  switch (field.name) {
    case "event:name":
      return { sql: eventNames, type: "text" };
    case "event:timeSinceStart":
      return {
        sql: `arrayMap(t -> t - toUnixTimestamp64Nano(start), ${eventTimes})`,
        type: "int",
      };
    case "link:traceID":
      return { sql: `arrayMap(l -> lower(hex(l.1)), ${detailOf("links")})`, type: "text" };
    case "link:spanID":
      return { sql: `arrayMap(l -> lower(hex(l.2)), ${detailOf("links")})`, type: "text" };
    default:
      return undefined;
  }
}

/** SQL for the first attribute with this name in an instrumentation scope. */
function attributeOfScope({ name }: AttributeField): AttributeParts {
  const found = `arrayFirst(a -> a.1 = ${textLiteral(name)}, ${scopeAttributes})`;
  return {
    isOf: (sought) => `${found}.2 = '${sought}'`,
    type: `toString(${found}.2)`,
    text: `${found}.3`,
  };
}

/** SQL for the first attribute with this name in the span or its resource, in the form of `firstElement`. */
function elementOf({ scope, name }: AttributeField): string {
  const ofSpan = firstElement(attributeTexts.span, name);
  if (scope === "span") {
    return ofSpan;
  }
  const ofResource =
    name === "service.name" ? "concat('s', service)" : firstElement(attributeTexts.resource, name);
  return scope === "resource"
    ? ofResource
    : `arrayFirst(v -> NOT startsWith(v, 'e'), [${ofSpan}, ${ofResource}])`;
}

/**
 * SQL for an array: one entry for each event or link that has the attribute. Each entry is a tuple: its second field is
 * the type, and its third field is the text.
 */
function attributeOfEach({ scope, name }: AttributeField): string {
  const lists = attributesOfEach[scope === "link" ? "link" : "event"];
  const first = `arrayFirst(a -> a.1 = ${textLiteral(name)}, l)`;
  return `arrayFilter(a -> a.2 NOT IN ('', 'empty'), arrayMap(l -> ${first}, ${lists}))`;
}

/**
 * Condition that a field's value passes a test.
 * @returns undefined for fields that SQL does not know: fields of the trace and of the parent
 */
export function fieldTest(field: Field, test: ValueTest): string | undefined {
  const plain = plainField(field);
  if (plain !== undefined) {
    return plainTest(field, plain, test) ?? "0";
  }
  const list = listField(field);
  if (list !== undefined) {
    const passes = list.type === "text" ? textTest(test, "x") : intTest(test, "x");
    if (passes === undefined) {
      return "0";
    }
    return `arrayExists(x -> ${passes}, ${list.sql})`;
  }
  if (field.type === "intrinsic" || field.ofParent) {
    return undefined;
  }
  return attributeFieldTest(field, test);
}

function attributeFieldTest(field: AttributeField, test: ValueTest): string {
  if (field.scope === "event" || field.scope === "link") {
    const each = attributeOfEach(field);
    const passes = attributeTest(test, (type) => `a.2 = '${type}'`, "a.3");
    const isThere = `arrayExists(a -> ${passes}, ${each})`;
    return field.scope === "link"
      ? isThere
      : `(${hasKey(eventText, textLiteral(field.name))} AND ${isThere})`;
  }
  if (field.scope === "instrumentation") {
    const { isOf, text } = attributeOfScope(field);
    return attributeTest(test, isOf, text);
  }
  const { isOf, text } = partsOfElement("v");
  const isFirst = `arrayExists(v -> ${attributeTest(test, isOf, text)}, [${elementOf(field)}])`;
  const texts = "constant" in test && test.operator === "=" ? equalTexts(test.constant) : undefined;
  return texts === undefined ? isFirst : `(${hasAny(field, texts)} AND ${isFirst})`;
}

/**
 * Condition that the span or its resource has one of these values, or an array, under this name. ClickHouse can use its
 * indexes for this condition.
 */
function hasAny({ scope, name }: AttributeField, texts: readonly StoredText[]): string {
  const key = { text: name };
  const values = texts.map(([type, text]) => [type, { text }] as const);
  const has = (column: string) => `${hasElement(column, key, values)} OR ${hasArray(column, key)}`;
  if (scope === "span") {
    return `(${has(attributeTexts.span)})`;
  }
  if (scope === "resource") {
    return `(${has(attributeTexts.resource)})`;
  }
  const ofResource =
    name === "service.name"
      ? `service IN (${texts.map(([, text]) => textLiteral(text)).join(", ")})`
      : has(attributeTexts.resource);
  return `(${has(attributeTexts.span)} OR ${ofResource})`;
}

function plainTest(field: Field, { sql, type }: PlainField, test: ValueTest): string | undefined {
  switch (type) {
    case "int":
      return intTest(test, sql === lengthSql && isAboveZero(test) ? "duration" : sql);
    case "text":
      return idTest(field, test) ?? textTest(test, sql);
    default:
      if ("pattern" in test || typeof test.constant !== "object" || test.constant.kind !== type) {
        return undefined;
      }
      if (test.constant.value.type !== "string" || (test.operator !== "=" && test.operator !== "!=")) {
        return undefined;
      }
      return `${sql} ${test.operator} ${textLiteral(test.constant.value.value)}`;
  }
}

/**
 * True when a test gives the same result for 0 and for smaller values. Then the SQL can test the column itself and use
 * its index.
 */
function isAboveZero(test: ValueTest): boolean {
  if ("pattern" in test) {
    return false;
  }
  const { constant } = test;
  return (typeof constant === "bigint" || typeof constant === "number") && constant > 0;
}

/** Test of an id, with ids as bytes so that ClickHouse can use indexes. */
function idTest(field: Field, test: ValueTest): string | undefined {
  if (field.type !== "intrinsic" || test.operator !== "=" || typeof test.constant !== "string") {
    return undefined;
  }
  const { constant } = test;
  if (field.name === "trace:id" && /^[0-9a-f]{32}$/.test(constant)) {
    return `trace_id = toFixedString(${bytesLiteral(constant)}, 16)`;
  }
  if (field.name === "span:id" && /^[0-9a-f]{16}$/.test(constant)) {
    return `span_id = toFixedString(${bytesLiteral(constant)}, 8)`;
  }
  return undefined;
}

/** Condition that a field has a value. @returns undefined for fields that SQL does not know */
export function fieldExists(field: Field): string | undefined {
  if (plainField(field) !== undefined) {
    return "1";
  }
  const list = listField(field);
  if (list !== undefined) {
    return `notEmpty(${list.sql})`;
  }
  if (field.type === "intrinsic" || field.ofParent) {
    return undefined;
  }
  if (field.scope === "event" || field.scope === "link") {
    return `notEmpty(${attributeOfEach(field)})`;
  }
  if (field.scope === "any") {
    const [ofSpan, ofResource] = [
      fieldExists({ ...field, scope: "span" }),
      fieldExists({ ...field, scope: "resource" }),
    ];
    return `(${ofSpan} OR ${ofResource})`;
  }
  const { isOf } =
    field.scope === "instrumentation" ? attributeOfScope(field) : partsOfElement(elementOf(field));
  return `NOT (${isOf("empty")})`;
}

/**
 * Condition that a field is a single bool with this value. Fields of events and links pass when at least one event or
 * link has this value.
 * @returns undefined for fields that SQL does not know
 */
export function fieldIsBool(field: Field, value: boolean): string | undefined {
  if (plainField(field) !== undefined || listField(field) !== undefined) {
    return "0";
  }
  if (field.type === "intrinsic" || field.ofParent) {
    return undefined;
  }
  if (isOfEach(field)) {
    return attributeFieldTest(field, { operator: "=", constant: value });
  }
  if (field.scope === "instrumentation") {
    const { isOf, text } = attributeOfScope(field);
    return `(${isOf("bool")} AND ${text} = '${value}')`;
  }
  return `${elementOf(field)} = '${attributeTypeLetters.bool}${value}'`;
}

/**
 * SQL for a field as a list of types and texts, for `readValue`: all values of events or links; for other fields at
 * most one value.
 * @returns undefined for fields that SQL does not know
 */
export function fieldValues(field: Field): string | undefined {
  const plain = plainField(field);
  if (plain !== undefined) {
    return `[${typedText(plain.type, plain.sql)}]`;
  }
  const list = listField(field);
  if (list !== undefined) {
    return `arrayMap(x -> ${typedText(list.type, "x")}, ${list.sql})`;
  }
  if (field.type === "intrinsic" || field.ofParent) {
    return undefined;
  }
  if (field.scope === "event" || field.scope === "link") {
    return `arrayMap(a -> (toString(a.2), a.3), ${attributeOfEach(field)})`;
  }
  if (field.scope === "instrumentation") {
    const { type, text } = attributeOfScope(field);
    return `[(${type}, ${text})]`;
  }
  const { type, text } = partsOfElement("v");
  return `arrayMap(v -> (${type}, ${text}), [${elementOf(field)}])`;
}

function typedText(type: PlainField["type"], sql: string): string {
  return `('${type === "text" ? "string" : type}', toString(${sql}))`;
}

/** SQL for a field as a Nullable(Float64). @returns undefined for fields that SQL does not know */
export function fieldNumber(field: Field): string | undefined {
  const plain = plainField(field);
  if (plain !== undefined) {
    return plain.type === "int" ? `toNullable(toFloat64(${plain.sql}))` : nullNumber;
  }
  if (listField(field) !== undefined) {
    return nullNumber;
  }
  if (field.type === "intrinsic" || field.ofParent) {
    return undefined;
  }
  if (field.scope === "event" || field.scope === "link") {
    return nullNumber;
  }
  if (field.scope === "instrumentation") {
    return numberOf(attributeOfScope(field));
  }
  return `arrayMap(v -> ${numberOf(partsOfElement("v"))}, [${elementOf(field)}])[1]`;
}

function numberOf({ isOf, text }: AttributeParts): string {
  return `multiIf(${isOf("int")}, toFloat64(toInt64OrZero(${text})), ${isOf("double")}, toFloat64OrZero(${text}), NULL)`;
}
