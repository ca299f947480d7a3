import type { Span } from "wire/model";
import {
  attribute,
  msNano,
  newTraceId,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
  text,
} from "./sample-spans.ts";

/** Makes the span tree root (a (a1, a2), b (b1)). */
export function callTree(service: string): Span[] {
  const traceId = newTraceId();
  let starts = noonUnixNano;
  const call = (
    name: string,
    level: bigint,
    parent: Span | undefined,
    durationMs: bigint,
    more: SpanFacts = {},
  ) => {
    const span = sampleSpan({
      ...{ service, traceId, name, startTimeUnixNano: starts, durationNano: durationMs * msNano },
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      attributes: [attribute("level", { type: "int", value: level })],
      ...more,
    });
    starts += msNano;
    return span;
  };
  const root = call("root", 0n, undefined, 60n);
  const a = call("a", 1n, root, 30n);
  const a1 = call("a1", 2n, a, 5n, { status: { code: "error", message: "" } });
  const a2 = call("a2", 2n, a, 5n);
  const b = call("b", 1n, root, 20n);
  return [root, a, a1, a2, b, call("b1", 2n, b, 5n)];
}

/** A link in the form in which OpenTracing bridges link to a span's parent. */
export function parentLink(traceId: string, spanId: string): Span["links"][number] {
  return {
    ...{ traceId, spanId, traceState: "", droppedAttributesCount: 0, flags: 0, refType: "none" },
    attributes: [text("opentracing.ref_type", "child_of")],
  };
}

/** A span with an attribute in every place. */
export function valueSpan(service: string): Span {
  const none = { traceState: "", droppedAttributesCount: 0, flags: 0 };
  return sampleSpan({
    ...{ service, kind: "client", status: { code: "error", message: "broken" } },
    attributes: [
      attribute("int", { type: "int", value: 200n }),
      attribute("float", { type: "double", value: 2.5 }),
      text("text", "it's \\ \"1"),
      attribute("flag", { type: "bool", value: true }),
      attribute("off", { type: "bool", value: false }),
      attribute("list", { type: "array", value: ["a", "b"].map((value) => ({ type: "string", value })) }),
      attribute("numbers", {
        type: "array",
        value: [
          { type: "int", value: 1n },
          { type: "double", value: 2 },
        ],
      }),
      attribute("switches", {
        type: "array",
        value: [
          { type: "bool", value: true },
          { type: "bool", value: false },
        ],
      }),
      attribute("bytes", { type: "bytes", value: Buffer.from([0, 255]) }),
      text("both", "own"),
      text('a "b', "quoted"),
    ],
    events: [
      { timeUnixNano: noonUnixNano, name: "first", attributes: [], droppedAttributesCount: 0 },
      {
        ...{ timeUnixNano: noonUnixNano + 5n * msNano, name: "second", droppedAttributesCount: 0 },
        attributes: [
          attribute("code", { type: "int", value: 7n }),
          attribute("escaped", { type: "bool", value: true }),
        ],
      },
      {
        ...{ timeUnixNano: noonUnixNano + 6n * msNano, name: "third", droppedAttributesCount: 0 },
        attributes: [attribute("both", { type: "bool", value: true })],
      },
      {
        ...{ timeUnixNano: noonUnixNano + 7n * msNano, name: "fourth", droppedAttributesCount: 0 },
        attributes: [attribute("both", { type: "bool", value: false })],
      },
    ],
    links: [
      {
        ...none,
        traceId: "f".repeat(32),
        spanId: "1".repeat(16),
        refType: "none",
        attributes: [text("why", "retry"), attribute("last", { type: "bool", value: false })],
      },
    ],
    resource: {
      attributes: [text("service.name", service), text("zone", "eu"), text("both", "of resource")],
      serviceName: service,
    },
    scope: { name: "lib", version: "1.2", attributes: [attribute("x", { type: "int", value: 1n })] },
  });
}
