import fc from "fast-check";
import type { Attribute, AttributeValue } from "../model/attribute.ts";
import { refTypes, type Span, spanFormats, spanKinds, statusCodes } from "../model/span.ts";
import { anyText } from "./any-text.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const uint32 = fc.nat(0xffffffff);
/** Any text that UTF-8 can represent, including quotes, backslashes and control characters. */
const text = anyText({ maxLength: 12 });
const longText = fc.string({ minLength: 60, maxLength: 300 });
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
/** Keys that begin with `$`, and repeated keys, which typed JSON must not confuse. */
const key = fc.oneof(text, fc.constantFrom("a", "1", "__proto__", "$bytes", "$double", "$$bytes", "$"));

const { value } = fc.letrec<{ value: AttributeValue; entries: readonly Attribute[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "value" },
    fc.constant({ type: "empty" as const }),
    fc.record({ type: fc.constant("string" as const), value: fc.oneof(text, longText) }),
    fc.record({ type: fc.constant("bool" as const), value: fc.boolean() }),
    fc.record({
      type: fc.constant("int" as const),
      value: fc.oneof(int64, fc.bigInt({ min: -99n, max: 99n })),
    }),
    fc.record({ type: fc.constant("double" as const), value: fc.oneof(fc.double(), fc.integer()) }),
    fc.record({ type: fc.constant("bytes" as const), value: bytes }),
    fc.record({ type: fc.constant("array" as const), value: fc.array(tie("value"), { maxLength: 4 }) }),
    fc.record({ type: fc.constant("kvlist" as const), value: tie("entries") }),
  ),
  entries: fc.array(fc.record({ key, value: tie("value") }), { maxLength: 4 }),
}));

const attributes = fc.array(fc.record({ key, value }), { maxLength: 5 });

function hexId(byteCount: number): fc.Arbitrary<string> {
  return fc
    .uint8Array({ minLength: byteCount, maxLength: byteCount })
    .filter((id) => id.some((byte) => byte !== 0))
    .map((id) => Buffer.from(id).toString("hex"));
}

const event = fc.record({ timeUnixNano: int64, name: text, attributes, droppedAttributesCount: uint32 });

const link = fc.record({
  traceId: hexId(16),
  spanId: hexId(8),
  traceState: text,
  attributes,
  droppedAttributesCount: uint32,
  flags: uint32,
  refType: fc.constantFrom(...refTypes),
});

/** For property tests: every attribute value that the model allows, nested a few levels. */
export const attributeValueArbitrary: fc.Arbitrary<AttributeValue> = value;

/** For property tests: every attribute that the model allows. */
export const attributeArbitrary: fc.Arbitrary<Attribute> = fc.record({ key, value });

/** For property tests: every span that the model allows. */
export const spanArbitrary: fc.Arbitrary<Span> = fc.record({
  traceId: hexId(16),
  spanId: hexId(8),
  parentSpanId: fc.oneof(hexId(8), fc.constant("")),
  traceState: text,
  flags: uint32,
  name: fc.oneof(text, longText),
  kind: fc.constantFrom(...spanKinds),
  startTimeUnixNano: int64,
  durationNano: int64,
  attributes,
  droppedAttributesCount: uint32,
  events: fc.array(event, { maxLength: 3 }),
  droppedEventsCount: uint32,
  links: fc.array(link, { maxLength: 3 }),
  droppedLinksCount: uint32,
  status: fc.record({ code: fc.constantFrom(...statusCodes), message: text }),
  resource: fc.record({ serviceName: text, attributes, droppedAttributesCount: uint32, schemaUrl: text }),
  scope: fc.record({
    name: text,
    version: text,
    attributes,
    droppedAttributesCount: uint32,
    schemaUrl: text,
  }),
  format: fc.constantFrom(...spanFormats),
  warnings: fc.array(text, { maxLength: 2 }),
});
