import fc from "fast-check";
import type { Attribute } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const hexId = (digits: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: digits, maxLength: digits })
    .filter((id) => !/^0+$/.test(id));
/** For tests: an attribute with a text. */
export const stringAttribute = (key: string, value: string): Attribute => ({
  key,
  value: { type: "string", value },
});
/** Keys without a special meaning. */
const attributes = fc
  .uniqueArray(fc.tuple(text, text), { selector: ([key]) => key, maxLength: 60, size: "max" })
  .map((entries) => entries.map(([key, value]) => stringAttribute(`x.${key}`, value)));
const nanos = fc.bigInt({ min: 1n, max: 9_000_000_000_000_000n }).map((micros) => micros * 1000n);
const id = hexId(16);

/** For property tests: spans that Zipkin v2 can express completely. */
export const zipkinSpan: fc.Arbitrary<Span> = fc
  .record({
    traceId: hexId(32),
    ids: fc.tuple(id, id).filter(([a, b]) => a !== b),
    hasParent: fc.boolean(),
    traceState: fc.option(
      text.filter((value) => value !== ""),
      { nil: "" },
    ),
    name: text,
    kind: fc.constantFrom("unspecified", "internal", "server", "client", "producer", "consumer"),
    startTimeUnixNano: nanos,
    durationNano: fc.oneof(
      fc.constant(0n),
      nanos.map((value) => (value / 100_000n) * 1000n),
    ),
    attributes,
    events: fc.array(
      fc.record({
        timeUnixNano: nanos,
        name: text.filter((name) => !name.includes("|")),
        attributes: attributes.map((list) =>
          list.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))),
        ),
        droppedAttributesCount: fc.nat(9),
      }),
      { maxLength: 2 },
    ),
    links: fc.array(
      fc.record({
        traceId: hexId(32),
        spanId: id,
        traceState: fc.constant("a=b"),
        attributes: fc.constant([stringAttribute("k", "v")]),
        droppedAttributesCount: fc.nat(9),
        flags: fc.constant(0),
        refType: fc.constant("none" as const),
      }),
      { maxLength: 2 },
    ),
    status: fc.constantFrom(
      { code: "unset", message: "" } as const,
      { code: "ok", message: "" } as const,
      { code: "error", message: "" } as const,
      { code: "error", message: "why" } as const,
    ),
    serviceName: text.filter((name) => name !== ""),
    scopeName: text,
    scopeVersion: text,
  })
  .map(({ ids: [spanId, other], hasParent, serviceName, scopeName, scopeVersion, ...rest }) => ({
    ...rest,
    spanId,
    parentSpanId: hasParent ? other : "",
    flags: 0,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    resource: {
      serviceName,
      attributes: [stringAttribute("service.name", serviceName), stringAttribute("host.name", "h")],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    scope: {
      name: scopeName,
      version: scopeVersion,
      attributes: [],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    format: "zipkin",
    warnings: [],
  }));
