import type { Attribute } from "../model/attribute.ts";
import type { Span, SpanLink } from "../model/span.ts";
import { attributeText } from "../rows/attribute-text.ts";

/** Bytes that ClickHouse escapes with a backslash inside quotes; all other bytes stay unchanged. */
const escapes: Readonly<Record<string, string>> = {
  ...{
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\0": "\\0",
    "'": "\\'",
    "\\": "\\\\",
  },
};

/**
 * For tests: the store's text of a span's rare fields. It is empty if all rare fields are empty, and `parent` if the
 * link to the parent is the only rare field. All other spans have a tuple, as `details-text.ts` describes.
 */
export function detailsTextOf(span: Span): Buffer {
  const { resource, scope, links, warnings } = span;
  const isPlain =
    resource.droppedAttributesCount +
      scope.droppedAttributesCount +
      span.droppedAttributesCount +
      span.droppedEventsCount +
      span.droppedLinksCount ===
      0 && scope.attributes.length + warnings.length === 0;
  if (isPlain && links.length === 0) {
    return Buffer.alloc(0);
  }
  if (isPlain && links.length === 1 && isParent(span, links[0] as SpanLink)) {
    return Buffer.from("parent");
  }
  return tupleOf(span);
}

/** The tuple for any span, even for a span whose text would be shorter. */
export function tupleOf(span: Span): Buffer {
  const { resource, scope, links, warnings } = span;
  const text = `(${[
    resource.droppedAttributesCount,
    attributesOf(scope.attributes),
    scope.droppedAttributesCount,
    span.droppedAttributesCount,
    span.droppedEventsCount,
    `[${links.map(linkOf).join(",")}]`,
    span.droppedLinksCount,
    `[${warnings.map((warning) => quoted(bytesOf(warning))).join(",")}]`,
  ].join(",")})`;
  return Buffer.from(text, "latin1");
}

/** True when a link has no more information than the parent's id. */
function isParent(span: Span, link: SpanLink): boolean {
  const { traceState, attributes, droppedAttributesCount, flags, refType } = link;
  return (
    link.traceId === span.traceId &&
    link.spanId === (span.parentSpanId || "0".repeat(16)) &&
    refType === "child_of" &&
    traceState === "" &&
    attributes.length + droppedAttributesCount + flags === 0
  );
}

function linkOf(link: SpanLink): string {
  const ids = [link.traceId, link.spanId].map((id) => quoted(Buffer.from(id, "hex").toString("latin1")));
  const rest = [attributesOf(link.attributes), link.droppedAttributesCount, link.flags, quoted(link.refType)];
  return `(${[...ids, quoted(bytesOf(link.traceState)), ...rest].join(",")})`;
}

function attributesOf(attributes: readonly Attribute[]): string {
  const tuples = attributes.map(({ key, value }) =>
    [bytesOf(key), value.type, bytesOf(attributeText(value))].map(quoted).join(","),
  );
  return `[${tuples.map((tuple) => `(${tuple})`).join(",")}]`;
}

/** The UTF-8 bytes of a text, as a string with one character for each byte. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** @param bytes string with one character for each byte */
function quoted(bytes: string): string {
  return `'${[...bytes].map((byte) => escapes[byte] ?? byte).join("")}'`;
}
