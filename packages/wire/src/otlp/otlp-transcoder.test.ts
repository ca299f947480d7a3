import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import type { AttributeValue } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { decodeTraces } from "../testing/decode-traces.ts";
import { ids, type ProtoField, protoMessage, requestOf, spanId, traceId } from "../testing/proto-fields.ts";
import { otlpSpanOf, requestOfSpans } from "../testing/request-of-spans.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";

function spanOf(...fields: ProtoField[]): Span {
  const [span] = decodeTraces(requestOf(...ids, ...fields));
  expect(span).toBeDefined();
  return span as Span;
}
/** The value of a span attribute whose `AnyValue` has these fields. */
function valueWith(...fields: ProtoField[]): AttributeValue | undefined {
  return spanOf([9, "bytes", [[2, "bytes", fields]]]).attributes[0]?.value;
}
function keyValue(key: string, value: string): ProtoField[] {
  return [
    [1, "bytes", key],
    [2, "bytes", [[1, "bytes", value]]],
  ];
}
describe("OtlpTranscoder", () => {
  test("keeps everything that generated code encodes", () => {
    const transcoder = new OtlpTranscoder();
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 3 }), (spans) => {
        const request = ExportTraceServiceRequest.encode(requestOfSpans(spans)).finish();
        const { rows, ...rest } = transcoder.transcode(request);
        expect(readSpanRows(rows.bytes)).toEqual(spans.map(otlpSpanOf));
        expect({ ...rest, count: rows.count }).toEqual({
          rejectedSpans: 0,
          errorMessage: "",
          count: spans.length,
        });
      }),
      { numRuns: 300 },
    );
  });

  test("gives rows of senders in turn what a new transcoder gives them: many, large ones, tenants, a bad one between", () => {
    const longText = Buffer.alloc(20_000, 120);
    const resources = Array.from({ length: 40 }, (_, index): ProtoField => {
      const value: ProtoField[] = [[1, "bytes", index % 9 === 0 ? longText : `service-${index}`]];
      // An id needs twice as many bytes in hex as in the request.
      if (index % 7 === 0) {
        value[0] = [7, "bytes", Buffer.alloc(7_000 + index * 200, index)];
      }
      return [
        1,
        "bytes",
        [
          [
            1,
            "bytes",
            [
              [1, "bytes", index % 7 === 0 ? "key" : "service.name"],
              [2, "bytes", value],
            ],
          ],
        ],
      ];
    });
    const scopes = Array.from(
      { length: 70 },
      (_, index): ProtoField => [1, "bytes", [[1, "bytes", `scope-${index}`]]],
    );
    const transcoder = new OtlpTranscoder();
    for (let round = 0; round < 300; round++) {
      const groups = [0, 1, 2].map((group): ProtoField => {
        const scoped = [0, 1].map(
          (part): ProtoField => [
            2,
            "bytes",
            [scopes[(round * 3 + part * 31) % scopes.length] as ProtoField, [2, "bytes", [...ids]]],
          ],
        );
        return [1, "bytes", [resources[(round * (group + 1)) % resources.length] as ProtoField, ...scoped]];
      });
      const request = protoMessage(...groups);
      const tenant = `tenant-${round % 3}`;
      if (round % 11 === 0) {
        expect(() => transcoder.transcode(request.subarray(0, request.length - 1), tenant)).toThrow(
          WireError,
        );
      }
      const { rows } = transcoder.transcode(request, tenant);
      expect(Buffer.compare(rows.bytes, new OtlpTranscoder().transcode(request, tenant).rows.bytes)).toBe(0);
      expect(rows.count).toBe(6);
    }
  });

  test("takes an empty request", () => {
    const { rows, ...rest } = new OtlpTranscoder().transcode(new Uint8Array(0));
    expect({ ...rest, count: rows.count, bytes: rows.bytes.length }).toEqual({
      rejectedSpans: 0,
      errorMessage: "",
      count: 0,
      bytes: 0,
    });
  });

  test("finds resource and scope behind the spans, and merges what is repeated", () => {
    const request = protoMessage([
      1,
      "bytes",
      [
        [
          2,
          "bytes",
          [
            [2, "bytes", ids],
            [3, "bytes", "scope-schema"],
            [1, "bytes", [[1, "bytes", "lib"]]],
            [1, "bytes", [[2, "bytes", "1.0"]]],
          ],
        ],
        [3, "bytes", "first"],
        [1, "bytes", [[1, "bytes", keyValue("service.name", "shop")]]],
        [
          1,
          "bytes",
          [
            [1, "bytes", keyValue("host.name", "h")],
            [2, "varint", 3],
          ],
        ],
        [3, "bytes", "last"],
      ],
    ]);
    expect(decodeTraces(request)).toMatchObject([
      {
        resource: {
          serviceName: "shop",
          attributes: [{ key: "service.name" }, { key: "host.name" }],
          droppedAttributesCount: 3,
          schemaUrl: "last",
        },
        scope: { name: "lib", version: "1.0", schemaUrl: "scope-schema" },
      },
    ]);
  });

  test("writes each request's own resource, scope and tenant after a like one", () => {
    const transcoder = new OtlpTranscoder();
    const resource = (...attributes: ProtoField[][]): ProtoField => [
      1,
      "bytes",
      attributes.map((one): ProtoField => [1, "bytes", one]),
    ];
    const scope = (name: string): ProtoField => [1, "bytes", [[1, "bytes", name]]];
    const named = keyValue("service.name", "shop");
    const requests = [
      [resource(named), scope("a")],
      [resource(named), scope("a")],
      [resource(named), scope("b")],
      [resource(keyValue("service.name", "cart")), scope("b")],
      [resource(keyValue("\fservice.name", "wrong"), named), scope("b")],
      [resource(keyValue("service.names", "wrong")), scope("")],
      [
        resource([
          [2, "bytes", [[1, "bytes", "late"]]],
          [1, "bytes", "x"],
          [1, "bytes", "service.name"],
        ]),
      ],
      [],
      // A bad attribute in a resource must not leave an incomplete prefix.
      [resource(named, [[1, "varint", 1]]), scope("a")],
      [resource(named), scope("a")],
      [resource(named), [1, "bytes", [[1, "varint", 1]]] satisfies ProtoField],
      [resource(named), scope("a")],
    ].map(([first, second]) =>
      protoMessage([
        1,
        "bytes",
        [...(first ? [first] : []), [2, "bytes", [...(second ? [second] : []), [2, "bytes", ids]]]],
      ]),
    );
    const outcome = (one: OtlpTranscoder, request: Uint8Array, tenant: string): string => {
      try {
        return Buffer.from(one.transcode(request, tenant).rows.bytes).toString("hex");
      } catch (error) {
        if (error instanceof WireError) {
          return error.code;
        }
        throw error;
      }
    };
    const services = requests.map((request, index) => {
      const tenant = index > 8 ? "acme" : "";
      const outcomes = outcome(transcoder, request, tenant);
      expect(outcomes).toBe(outcome(new OtlpTranscoder(), request, tenant));
      return outcomes === "WIRE_MALFORMED" ? outcomes : decodeTraces(request)[0]?.resource.serviceName;
    });
    expect(services).toEqual([
      ...["shop", "shop", "shop", "cart", "shop", "empty-service-name", "late", "OTLPResourceNoServiceName"],
      ...["WIRE_MALFORMED", "shop", "WIRE_MALFORMED", "shop"],
    ]);
    const large = protoMessage([
      1,
      "bytes",
      [resource(keyValue("k", "v".repeat(70_000))), [2, "bytes", [[2, "bytes", ids]]]],
    ]);
    expect(outcome(transcoder, large, "")).toBe(outcome(new OtlpTranscoder(), large, ""));
  });

  test("takes the last of repeated singular fields and merges repeated statuses", () => {
    const span = spanOf(
      [5, "bytes", "first"],
      [15, "bytes", [[3, "varint", 2]]],
      [5, "bytes", "last"],
      [15, "bytes", [[2, "bytes", "why"]]],
    );
    expect(span).toMatchObject({ name: "last", status: { code: "error", message: "why" } });
  });

  test("merges repeated values as protobuf does", () => {
    const one: ProtoField = [5, "bytes", [[1, "bytes", [[3, "varint", 1]]]]];
    const two: ProtoField = [5, "bytes", [[1, "bytes", [[3, "varint", 2]]]]];
    const both = {
      type: "array",
      value: [
        { type: "int", value: 1n },
        { type: "int", value: 2n },
      ],
    };
    expect(valueWith(one, two)).toEqual(both);
    const twice = spanOf([
      9,
      "bytes",
      [
        [2, "bytes", [one]],
        [1, "bytes", "k"],
        [2, "bytes", [two]],
      ],
    ]);
    expect(twice.attributes).toEqual([{ key: "k", value: both }]);
    expect(valueWith(one, [1, "bytes", "x"])).toEqual({ type: "string", value: "x" });
    expect(valueWith([1, "bytes", "x"], [3, "varint", 7])).toEqual({ type: "int", value: 7n });
  });

  test("passes over unknown fields", () => {
    const unknown: ProtoField[] = [
      [99, "varint", -1],
      [98, "bytes", "x"],
      [97, "fixed32", 1],
      [96, "fixed64", 1],
    ];
    const request = protoMessage(...unknown, [
      1,
      "bytes",
      [
        ...unknown,
        [
          2,
          "bytes",
          [
            ...unknown,
            [
              2,
              "bytes",
              [
                ...ids,
                ...unknown,
                [9, "bytes", [...unknown, ...keyValue("k", "v")]],
                [11, "bytes", [...unknown, [2, "bytes", "event"]]],
                [13, "bytes", [...unknown, [3, "bytes", "state"]]],
                [15, "bytes", unknown],
              ],
            ],
          ],
        ],
      ],
    ]);
    expect(decodeTraces(request)).toMatchObject([
      {
        name: "",
        kind: "unspecified",
        attributes: [{ key: "k", value: { type: "string", value: "v" } }],
        events: [{ name: "event" }],
        links: [{ traceState: "state", traceId: "0".repeat(32) }],
      },
    ]);
    expect(valueWith(...unknown)).toEqual({ type: "empty" });
    expect(valueWith([3, "varint", 5], ...unknown)).toEqual({ type: "int", value: 5n });
  });

  test.each<[name: string, resource: ProtoField[], service: string]>([
    ["no attributes", [], "OTLPResourceNoServiceName"],
    ["no service.name", [[1, "bytes", keyValue("host.name", "h")]], "empty-service-name"],
    ["an empty service.name", [[1, "bytes", keyValue("service.name", "")]], "empty-service-name"],
    [
      "a service.name that is a number",
      [
        [
          1,
          "bytes",
          [
            [1, "bytes", "service.name"],
            [2, "bytes", [[3, "varint", 1]]],
          ],
        ],
      ],
      "empty-service-name",
    ],
    ["a service.name", [[1, "bytes", keyValue("service.name", "shop")]], "shop"],
  ])("names the service of a resource with %s", (_name, resource, service) => {
    const request = protoMessage([
      1,
      "bytes",
      [
        [1, "bytes", resource],
        [2, "bytes", [[2, "bytes", ids]]],
      ],
    ]);
    expect(decodeTraces(request)[0]?.resource.serviceName).toBe(service);
  });

  test.each([
    0n,
    9n,
    10n,
    99n,
    1234567890n,
    2147483647n,
    2147483648n,
    4294967296n,
    9007199254740991n,
    9007199254740992n,
    9007199254740993n,
    9223372036854775807n,
    -1n,
    -2147483649n,
    -9007199254740993n,
    -9223372036854775808n,
  ])("writes the int %s exactly", (value) => {
    expect(valueWith([3, "varint", value])).toEqual({ type: "int", value });
  });

  test("writes times and durations in 64 bits", () => {
    const start = 1_700_000_000_123_456_789n;
    for (const duration of [0n, 1n, 4294967296n, -1n, -4294967297n]) {
      const span = spanOf([7, "fixed64", start], [8, "fixed64", start + duration]);
      expect(span).toMatchObject({ startTimeUnixNano: start, durationNano: duration });
    }
  });

  test("stores undefined enum numbers as 0", () => {
    expect(spanOf([6, "varint", 17], [15, "bytes", [[3, "varint", -1]]])).toMatchObject({
      kind: "unspecified",
      status: { code: "unset" },
    });
  });

  test("takes a parent id of zeros as none", () => {
    expect(spanOf([4, "bytes", Buffer.alloc(8)]).parentSpanId).toBe("");
  });

  test("rejects spans without a trace or span id, and stores the others", () => {
    const spans: ProtoField[] = [
      [
        2,
        "bytes",
        [
          [2, "bytes", spanId],
          [5, "bytes", "no trace"],
        ],
      ],
      [2, "bytes", ids],
      [
        2,
        "bytes",
        [
          [1, "bytes", traceId],
          [2, "bytes", Buffer.alloc(8)],
        ],
      ],
    ];
    const result = new OtlpTranscoder().transcode(protoMessage([1, "bytes", [[2, "bytes", spans]]]));
    expect(result.rows.count).toBe(1);
    expect(readSpanRows(result.rows.bytes)).toHaveLength(1);
    expect(result.rejectedSpans).toBe(2);
    expect(result.errorMessage).toBe(
      '2 spans rejected: span "no trace" at resourceSpans[0].scopeSpans[0].spans[0]: empty trace id; ' +
        'span "" at resourceSpans[0].scopeSpans[0].spans[2]: empty span id',
    );
    const alone = new OtlpTranscoder().transcode(
      requestOf([1, "bytes", traceId], [5, "bytes", "x".repeat(200)]),
    );
    expect(alone.errorMessage).toBe(
      `1 span rejected: span "${"x".repeat(100)}…" at resourceSpans[0].scopeSpans[0].spans[0]: empty span id`,
    );
  });

  test("stops at maxRowsBytes when a large resource stands before many spans", () => {
    const request = protoMessage([
      1,
      "bytes",
      [
        [1, "bytes", [[1, "bytes", keyValue("k", "v".repeat(10_000))]]],
        [2, "bytes", Array.from({ length: 100 }, (): ProtoField => [2, "bytes", ids])],
      ],
    ]);
    const part = new OtlpTranscoder({ maxRowsBytes: 500_000 }).transcode(request);
    expect([part.rows.count, part.rejectedSpans]).toEqual([49, 51]);
    expect(part.errorMessage).toMatch(
      /spans\[49\]: rows of 5\d+ bytes are over maxRowsBytes .* and 41 more$/,
    );
    expect(new OtlpTranscoder().transcode(request).rows.count).toBe(100);
  });
});
