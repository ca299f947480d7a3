import { describe, expect, test } from "vitest";
import { type KeyValue, SpanRefType, ValueType } from "../gen/tracing/api_v2/model.ts";
import type { Attribute } from "../model/attribute.ts";
import type { Span, SpanLink } from "../model/span.ts";
import { toApiV2Span } from "./to-api-v2-span.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";

const bare: Span = {
  traceId,
  spanId: "b7ad6b7169203331",
  parentSpanId: "",
  traceState: "",
  flags: 0,
  name: "GET /",
  kind: "unspecified",
  startTimeUnixNano: 1_700_000_000_000_000_001n,
  durationNano: 2_000_000_003n,
  attributes: [],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: { code: "unset", message: "" },
  resource: { serviceName: "shop", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  format: "otlp",
  warnings: [],
};

const text = (key: string, value: string): Attribute => ({ key, value: { type: "string", value } });

/** Short form of a tag: its key, and the field that its type selects. */
function short(tag: KeyValue): [string, unknown] {
  switch (tag.vType) {
    case ValueType.BOOL:
      return [tag.key, tag.vBool];
    case ValueType.INT64:
      return [tag.key, tag.vInt64];
    case ValueType.FLOAT64:
      return [tag.key, tag.vFloat64];
    case ValueType.BINARY:
      return [tag.key, tag.vBinary];
    default:
      return [tag.key, tag.vStr];
  }
}

const tagsOf = (span: Partial<Span>) => toApiV2Span({ ...bare, ...span }).tags.map(short);

function link(span: string, attributes: Attribute[] = [], trace = traceId): SpanLink {
  return {
    traceId: trace,
    spanId: span,
    traceState: "lost=1",
    attributes,
    droppedAttributesCount: 1,
    flags: 1,
    refType: "none",
  };
}

const referencesOf = (span: Partial<Span>) =>
  toApiV2Span({ ...bare, ...span }).references.map((reference) => [
    reference.refType === SpanRefType.CHILD_OF ? "CHILD_OF" : "FOLLOWS_FROM",
    reference.traceId.toString("hex"),
    reference.spanId.toString("hex"),
  ]);

describe("an OTLP span in the older model", () => {
  test("keeps ids, name, times and loses the flags", () => {
    expect(toApiV2Span({ ...bare, flags: 257, warnings: ["w"] })).toMatchObject({
      traceId: Buffer.from(traceId, "hex"),
      spanId: Buffer.from("b7ad6b7169203331", "hex"),
      operationName: "GET /",
      flags: 0,
      startTime: { seconds: 1_700_000_000n, nanos: 1 },
      duration: { seconds: 2n, nanos: 3 },
      processId: "",
      warnings: ["w"],
    });
    expect(toApiV2Span({ ...bare, durationNano: -1n }).duration).toEqual({ seconds: 0n, nanos: -1 });
  });

  test("has its tags in the model's order", () => {
    const span: Partial<Span> = {
      scope: { ...bare.scope, name: "lib", version: "1.2", attributes: [text("lost", "x")] },
      attributes: [text("error", "own"), { key: "n", value: { type: "int", value: -7n } }],
      kind: "server",
      status: { code: "error", message: "boom" },
      traceState: "a=b",
      format: "zipkin",
    };
    expect(tagsOf(span)).toEqual([
      ["otel.scope.name", "lib"],
      ["otel.scope.version", "1.2"],
      ["error", "own"],
      ["n", -7n],
      ["span.kind", "server"],
      ["otel.status_code", "ERROR"],
      ["error", true],
      ["otel.status_description", "boom"],
      ["w3c.tracestate", "a=b"],
      ["internal.span.format", "zipkin"],
    ]);
  });

  test.each<[string, Partial<Span>, [string, unknown][]]>([
    ["nothing", {}, []],
    ["kind internal", { kind: "internal" }, [["span.kind", "internal"]]],
    ["status ok", { status: { code: "ok", message: "" } }, [["otel.status_code", "OK"]]],
    [
      "a message without a code",
      { status: { code: "unset", message: "m" } },
      [["otel.status_description", "m"]],
    ],
  ])("adds no more than it must for %s", (_, span, tags) => {
    expect(tagsOf(span)).toEqual([...tags, ["internal.span.format", "otlp"]]);
  });

  test.each<[string, Attribute["value"], unknown]>([
    ["empty", { type: "empty" }, ""],
    ["string", { type: "string", value: "é" }, "é"],
    ["bool", { type: "bool", value: false }, false],
    ["int", { type: "int", value: -(2n ** 63n) }, -(2n ** 63n)],
    ["double", { type: "double", value: Number.NaN }, Number.NaN],
    ["bytes", { type: "bytes", value: Uint8Array.of(0, 255) }, Buffer.of(0, 255)],
    ["array", { type: "array", value: [{ type: "double", value: 2 }] }, "[2]"],
    ["kvlist", { type: "kvlist", value: [text("k", "v")] }, '{"k":"v"}'],
  ])("writes an attribute of type %s", (_, value, expected) => {
    expect(tagsOf({ attributes: [{ key: "a", value }] })[0]).toEqual(["a", expected]);
  });

  test.each<[string, string, Attribute[], [string, unknown][]]>([
    [
      "its name first",
      "boom",
      [text("k", "v")],
      [
        ["event", "boom"],
        ["k", "v"],
      ],
    ],
    [
      "its own attribute `event` instead",
      "boom",
      [text("k", "v"), text("event", "own")],
      [
        ["k", "v"],
        ["event", "own"],
      ],
    ],
    ["no name when it is empty", "", [], []],
  ])("gives an event %s", (_, name, attributes, fields) => {
    const events = [{ timeUnixNano: -1n, name, attributes, droppedAttributesCount: 0 }];
    const [log] = toApiV2Span({ ...bare, events }).logs;
    expect(log?.timestamp).toEqual({ seconds: -1n, nanos: 999_999_999 });
    expect(log?.fields.map(short)).toEqual(fields);
  });

  const parent = "00f067aa0ba902b7";
  const childOf = [text("opentracing.ref_type", "child_of")];
  test.each<[string, Partial<Span>, string[][]]>([
    ["no reference for a root", {}, []],
    ["the parent", { parentSpanId: parent }, [["CHILD_OF", traceId, parent]]],
    [
      "links after the parent",
      {
        parentSpanId: parent,
        links: [link("0000000000000001"), link("0000000000000002", childOf, "f".repeat(32))],
      },
      [
        ["CHILD_OF", traceId, parent],
        ["FOLLOWS_FROM", traceId, "0000000000000001"],
        ["CHILD_OF", "f".repeat(32), "0000000000000002"],
      ],
    ],
    [
      "a link to the parent as that reference's type",
      { parentSpanId: parent, links: [link("0000000000000001", childOf), link(parent)] },
      [
        ["FOLLOWS_FROM", traceId, parent],
        ["CHILD_OF", traceId, "0000000000000001"],
      ],
    ],
    [
      "the parent's span id in another trace as a link",
      { parentSpanId: parent, links: [link(parent, [], "1".repeat(32))] },
      [
        ["CHILD_OF", traceId, parent],
        ["FOLLOWS_FROM", "1".repeat(32), parent],
      ],
    ],
  ])("has %s", (_, span, references) => {
    expect(referencesOf(span)).toEqual(references);
  });

  test("has the resource without its name as process", () => {
    const resource = {
      ...bare.resource,
      attributes: [
        text("a", "1"),
        text("service.name", "shop"),
        { key: "b", value: { type: "bool", value: true } as const },
      ],
    };
    const { process } = toApiV2Span({ ...bare, resource });
    expect(process?.serviceName).toBe("shop");
    expect(process?.tags.map(short)).toEqual([
      ["a", "1"],
      ["b", true],
    ]);
  });
});
