import type { AttributeValue } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";

/** OTLP has no warnings. Jaeger keeps them in this attribute of a span, a list of texts. */
const warningsKey = "@jaeger@warnings";

export function withWarningsAttribute(span: Span): Span {
  if (span.warnings.length === 0) {
    return span;
  }
  const value: AttributeValue = {
    type: "array",
    value: span.warnings.map((warning) => ({ type: "string", value: warning })),
  };
  return { ...span, attributes: [...span.attributes, { key: warningsKey, value }] };
}

/** The inverse of `withWarningsAttribute`. */
export function withoutWarningsAttribute(span: Span): Span {
  const found = span.attributes.find(({ key }) => key === warningsKey)?.value;
  if (found?.type !== "array") {
    return span;
  }
  const texts = found.value.flatMap((item) => (item.type === "string" ? [item.value] : []));
  return {
    ...span,
    attributes: span.attributes.filter(({ key }) => key !== warningsKey),
    warnings: [...span.warnings, ...texts],
  };
}
