import fc from "fast-check";
import type { PackedTrace } from "storage/api";
import { describe, expect, test } from "vitest";
import {
  type Attribute,
  type RefType,
  type Span,
  type SpanLink,
  spanFormats,
  spanKinds,
  statusCodes,
} from "wire/model";
import { type AdjustOptions, adjustTrace } from "../service/adjusters/adjust-trace.ts";
import { toApiTrace } from "../service/api-trace.ts";
import { otlpSpan, sampleTraceId } from "../service/sample-store.ts";
import { storedTrace } from "../testing/stored-trace.ts";
import { SharedJson } from "./shared-json.ts";
import { type ShownTrace, sentTracesJson, shownTracesJson } from "./shown-traces-json.ts";
import { tracesJson } from "./trace-json.ts";

const id = (number: number) => number.toString(16).padStart(16, "0");
const text = (key: string, value: string): Attribute => ({ key, value: { type: "string", value } });
const int = (key: string, value: bigint): Attribute => ({ key, value: { type: "int", value } });

const bool = (key: string, value: boolean): Attribute => ({ key, value: { type: "bool", value } });
const double = (key: string, value: number): Attribute => ({ key, value: { type: "double", value } });

const hosts: readonly (readonly Attribute[])[] = [
  [],
  [text("ip", "10.0.0.1")],
  [int("ip", 167_772_161n)],
  [text("ip", "10.0.0.2"), text("ip", "10.0.0.1"), text("a", "b")],
];

const link = fc
  .record({
    to: fc.integer({ min: 0, max: 12 }),
    refType: fc.constantFrom<RefType>("none", "child_of", "follows_from"),
    traceId: fc.constantFrom(sampleTraceId, "0".repeat(32), "1".repeat(32)),
  })
  .map(
    ({ to, refType, traceId }): SpanLink => ({
      ...{ traceId, spanId: id(to), refType },
      ...{ traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0 },
    }),
  );

const attribute = fc.constantFrom<Attribute>(
  ...[text("z", "1"), text("b", "2"), int("peer.ipv4", 1n), text("long", "x".repeat(33)), text("clé", "ä")],
  ...[
    text("b", "\u{10000}"),
    text("b", "\uffff"),
    int("b", 2n ** 60n),
    text("error", '"'),
    text("t", "\u007f"),
  ],
  ...[int("n", -5n), int("n", 0n), int("m", 999_999_999_999_999n), int("m", -(2n ** 63n)), bool("t", true)],
  ...[
    bool("f", false),
    int("peer.ipv4", 2n ** 31n),
    text("peer.ipv4", "1.2.3.4"),
    text("q", 'a "b" \\ \u0001'),
  ],
  ...[double("d", 0.5), double("d", -0), double("e", 1e300), double("e", Number.POSITIVE_INFINITY)],
  { key: "ip", value: { type: "double", value: Number.NaN } },
  { key: "l", value: { type: "array", value: [{ type: "bool", value: true }] } },
  { key: "y", value: { type: "bytes", value: Uint8Array.of(1, 255) } },
  { key: "", value: { type: "empty" } },
);

/** Those that are shown elsewhere, or as other tags are. */
const seldomAttribute = fc.constantFrom<Attribute>(
  ...[text("telemetry.sdk.name", "x"), text("otel.status_code", "x"), text("otel.status_description", "y")],
  ...[text("span.kind", "client"), text("span.kind", "server"), text("internal.span.format", "x")],
);

const eventAttribute = fc.constantFrom(
  ...[text("y", "1"), text("x", "\n"), int("ip", 16_909_060n), int("event", 1n), text("event", "own")],
  ...[text("x", "0"), int("x", 5n), text("a", "b")],
);

/** Mostly what most spans have. */
function mostly<T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, other);
}

const facts = fc.record({
  parent: fc.integer({ min: 0, max: 12 }),
  start: fc.oneof(
    { weight: 200, arbitrary: fc.bigInt({ min: 0n, max: 2_000n }) },
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  ),
  duration: fc.bigInt({ min: -10n, max: 1_000n }),
  host: fc.nat({ max: hosts.length - 1 }),
  format: fc.constantFrom(...spanFormats),
  kind: fc.constantFrom(...spanKinds),
  links: mostly([], fc.array(link, { maxLength: 2 })),
  isParentLinked: fc.boolean(),
  attributes: fc.oneof(
    { weight: 3, arbitrary: fc.uniqueArray(attribute, { maxLength: 5, selector: ({ key }) => key }) },
    fc.array(fc.oneof(attribute, seldomAttribute), { maxLength: 5 }),
  ),
  flags: fc.constantFrom(0, 1),
  name: fc.constantFrom("GET", "POST /", "", 'é"'),
  status: fc.record({
    code: fc.constantFrom(...statusCodes),
    message: fc.constantFrom<string>("", "", "why", '"é"'),
  }),
  traceState: mostly<string>("", fc.constant("a=b")),
  warnings: mostly<readonly string[]>([], fc.constant<readonly string[]>(["early"])),
  event: mostly(
    undefined,
    fc.record({
      name: fc.constantFrom("e", "", 'é"'),
      attributes: fc.array(eventAttribute, { maxLength: 4 }),
    }),
  ),
});

/** With another value, which may be in another place among those of equal keys. */
const withOtherValue = ({ key, value }: Attribute): Attribute =>
  value.type === "string"
    ? text(key, `${value.value === "2" ? "\u{10001}" : value.value}, other`)
    : { key, value };

function parentLink(traceId: string, parent: number): SpanLink {
  const none = { traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0 };
  return { traceId, spanId: id(parent), refType: "child_of", ...none };
}

/** Spans with ids of their own, but for those that `shared` gives another one's. */
function spansOf(
  all: readonly (typeof facts extends fc.Arbitrary<infer T> ? T : never)[],
  shared: number,
  traceId: string,
): Span[] {
  return all.map(({ parent, start, duration, host, event, isParentLinked, ...rest }, index) => ({
    ...otlpSpan({ service: `s${host}`, resourceAttributes: hosts[host] ?? [] }),
    ...rest,
    traceId,
    spanId: id(1 + (index < shared ? 0 : index)),
    parentSpanId: parent === 0 ? "" : id(parent),
    startTimeUnixNano: start,
    durationNano: duration,
    links: isParentLinked && rest.links.length === 0 ? [parentLink(traceId, parent)] : rest.links,
    events: event === undefined ? [] : [{ ...event, timeUnixNano: start, droppedAttributesCount: 0 }],
  }));
}

/** As an engine that makes spans when they are asked for. */
function packed(spans: readonly Span[]): PackedTrace {
  return {
    traceId: spans[0]?.traceId ?? sampleTraceId,
    spans: { length: spans.length, at: (index) => structuredClone(spans[index]) },
  };
}

/** Shared by all answers of these tests, as in a process. */
const shared = new SharedJson();

function pieces(traces: readonly ShownTrace[], options: AdjustOptions | undefined) {
  return options === undefined ? sentTracesJson(traces) : shownTracesJson(traces, options, shared);
}

async function textOf(traces: readonly ShownTrace[], options: AdjustOptions | undefined): Promise<string> {
  const found = await Array.fromAsync<string | Uint8Array>(pieces(traces, options));
  return found.map(String).join("");
}

async function shown(trace: PackedTrace, options: AdjustOptions | undefined): Promise<string> {
  return await textOf([{ traceId: trace.traceId, isLarge: trace.spans.length > 20, trace }], options);
}

/** The long way: all spans at once, in the older model. */
function together(spans: readonly Span[], options: AdjustOptions): string {
  const trace = toApiTrace({ traceId: sampleTraceId, spans: structuredClone(spans) });
  adjustTrace(trace, options);
  return [...tracesJson([trace])].join("");
}

describe("shownTracesJson", () => {
  test("shows what adjustTrace makes of a trace, though it sees one span at a time", async () => {
    const input = fc.tuple(
      fc.array(facts, { minLength: 1, maxLength: 10 }),
      fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat({ max: 3 })),
      fc.constantFrom(0n, 100n, 5_000n),
      fc.constantFrom(sampleTraceId, sampleTraceId.replace(/^.{16}/, "0".repeat(16))),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([all, shared, maxClockSkewNano, traceId]) => {
        // The keys of all attributes once more, which come in a known order then, with other values.
        const again = all.map(({ attributes, status, traceState, ...rest }) => ({
          ...rest,
          attributes: attributes.map(withOtherValue),
          status: { ...status, message: status.message === "why" ? "" : "other" },
          traceState: traceState === "" ? "a=b" : "",
        }));
        const spans = spansOf([...all, ...all, ...again], shared, traceId);
        const options = { maxClockSkewNano };
        const whole = together(spans, options);
        expect(await shown(packed(spans), options)).toBe(whole);
        expect(await shown(storedTrace(spans), options)).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });

  test("tells spans apart that have the same keys", async () => {
    const values = [[], ["1", "2"], ["2", "1"], ["1", "1"]];
    const parts = values.flatMap((listed) =>
      ["", "why", '"é"'].flatMap((message) =>
        ["", "a=b"].map((traceState) => ({ listed, message, traceState })),
      ),
    );
    const spans = spanFormats.flatMap((format, number) =>
      parts.map(({ listed, message, traceState }, index) => ({
        ...otlpSpan({ attributes: listed.map((value) => text("b", value)), format, traceState }),
        ...{ spanId: id(100 * number + index + 1), status: { code: "error", message } as const },
      })),
    );
    const options = { maxClockSkewNano: 0n };
    expect(await shown(storedTrace(spans), options)).toBe(together(spans, options));
  });

  test("keeps the order of many spans, in a deep trace", async () => {
    const spans = Array.from({ length: 3_000 }, (_, index) => ({
      ...otlpSpan({ resourceAttributes: [text("ip", `10.0.0.${index % 3}`)] }),
      ...{
        spanId: id(index + 1),
        parentSpanId: index === 0 ? "" : id(index),
        startTimeUnixNano: BigInt(index % 7),
      },
    }));
    const options = { maxClockSkewNano: 1_000n };
    expect(await shown(packed(spans), options)).toBe(together(spans, options));
    expect(await shown(storedTrace(spans), options)).toBe(together(spans, options));
  });

  test("sorts the tags of a span with very many, and knows those that come again", async () => {
    const attributes = Array.from({ length: 5_000 }, (_, index) => text(`k${(index * 7) % 5_000}`, "v"));
    const spans = [1, 2].map((number) => ({ ...otlpSpan({ attributes }), spanId: id(number) }));
    const options = { maxClockSkewNano: 0n };
    const trace = { traceId: sampleTraceId, spans };
    expect(await shown(trace, options)).toBe(together(spans, options));
    expect(await shown(storedTrace(spans), options)).toBe(together(spans, options));
  });

  test("reads values that the store writes otherwise, and refuses what is none", async () => {
    const list: Attribute = {
      key: "list",
      value: { type: "array", value: [{ type: "string", value: "v" }] },
    };
    const spans = [
      otlpSpan({ attributes: [int("whole", 15n), double("half", 5.5), bool("is", true), list] }),
    ];
    const read = (from: string, to: string) => {
      const trace = storedTrace(
        spans,
        (rows) => void rows.write(to, rows.indexOf(from, 0, "latin1"), "latin1"),
      );
      const { traceId } = trace;
      return textOf([{ traceId, isLarge: true, trace }], { maxClockSkewNano: 0n });
    };
    expect(await read("i15", "i05")).toContain('"value":5}');
    expect(await read("d5.5", "d5e0")).toContain('"value":5}');
    expect(await read("btrue", "btrue")).toContain('"value":true}');
    await expect(read("btrue", "bTrue")).rejects.toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
    await expect(read("i15", "i1x")).rejects.toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
    await expect(read('"v"]', '"v"}')).rejects.toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
    await expect(read("half\xfed", "half\xfe?")).rejects.toThrow(
      expect.objectContaining({ code: "WIRE_MALFORMED" }),
    );
  });

  test("knows many lists of keys, and begins anew with more", async () => {
    const spans = Array.from({ length: 2_000 }, (_, index) => ({
      ...otlpSpan({
        attributes: ["a", "b", "c"].map((key) => text(`${key.repeat(200)}${index % 700}`, "v")),
      }),
      ...{ spanId: id(index + 1), scope: { ...otlpSpan().scope, name: `scope ${index % 3}` } },
    }));
    const options = { maxClockSkewNano: 0n };
    expect(await shown(storedTrace(spans), options)).toBe(together(spans, options));
  });

  test("shows several traces, each with processes of its own", async () => {
    const traces = ["a", "b"].map((service, index) => {
      const traceId = `${index + 1}`.repeat(32);
      const spans = [otlpSpan({ traceId, service }), otlpSpan({ traceId, service: "both", spanId: id(7) })];
      return { traceId, isLarge: false, trace: Promise.resolve({ traceId, spans }) };
    });
    const json = await textOf(traces, { maxClockSkewNano: 0n });
    const services = (JSON.parse(json) as { processes: Record<string, { serviceName: string }> }[]).map(
      ({ processes }) => Object.entries(processes).map(([key, { serviceName }]) => `${key} ${serviceName}`),
    );
    expect(services).toEqual([
      ["p1 a", "p2 both"],
      ["p1 b", "p2 both"],
    ]);
    expect([await textOf([], undefined), await textOf([], { maxClockSkewNano: 0n })]).toEqual(["[]", "[]"]);
  });

  test("sends the beginning of a large trace before its spans are there", async () => {
    const spans = Promise.withResolvers<PackedTrace>();
    const sent = shownTracesJson(
      [{ traceId: sampleTraceId, isLarge: true, trace: spans.promise }],
      { maxClockSkewNano: 0n },
      shared,
    );
    expect(String((await sent.next()).value)).toBe(`[{"traceID":"${sampleTraceId}","spans":[`);
    expect((await sent.next()).value).toBe("");
    spans.resolve({ traceId: sampleTraceId, spans: [otlpSpan({})] });
    const rest = (await Array.fromAsync(sent)).map(String);
    expect(rest).not.toContain("");
    expect(rest.join("")).toMatch(/"warnings":null}]$/);
  });

  test("leaves spans as they were sent where nothing is to be adjusted", async () => {
    const spans = [otlpSpan({ spanId: id(1), parentSpanId: id(9) }), otlpSpan({ spanId: id(1) })];
    expect(await shown(packed(spans), undefined)).toBe(
      [...tracesJson([toApiTrace({ traceId: sampleTraceId, spans })])].join(""),
    );
  });
});
