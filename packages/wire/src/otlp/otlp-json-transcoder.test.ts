import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { type AttributeValue, maxAttributeDepth } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { otlpJsonOf, otlpSpanOf, requestOfSpans } from "../testing/request-of-spans.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";

const ids = '"traceId":"0102030405060708090A0b0c0d0e0f10","spanId":"1112131415161718"';

function requestOf(spanMembers: string): string {
  return `{"resourceSpans":[{"scopeSpans":[{"spans":[{${spanMembers}}]}]}]}`;
}
function decode(json: string): Span[] {
  return readSpanRows(new OtlpJsonTranscoder().transcode(Buffer.from(json)).rows.bytes);
}
function spanOf(members: string): Span {
  const [span] = decode(requestOf(`${ids},${members}`));
  expect(span).toBeDefined();
  return span as Span;
}
function valueWith(json: string): AttributeValue | undefined {
  return spanOf(`"attributes":[{"key":"k","value":${json}}]`).attributes[0]?.value;
}
function codeOf(json: string | Uint8Array): string {
  try {
    const bytes = typeof json === "string" ? Buffer.from(json) : json;
    const { rows, rejectedSpans } = new OtlpJsonTranscoder().transcode(bytes);
    if (rejectedSpans > 0) {
      return "rejected";
    }
    return readSpanRows(rows.bytes).some(({ warnings }) => warnings.length > 0) ? "warned" : "none";
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}
function nestedKvlists(depth: number): string {
  const open = '{"kvlistValue":{"values":[{"key":"k","value":'.repeat(depth - 1);
  return `"attributes":[{"value":${open}{"kvlistValue":{}}${"}]}}".repeat(depth - 1)}}]`;
}

describe("OtlpJsonTranscoder", () => {
  test("keeps everything that generated code prints", () => {
    const transcoder = new OtlpJsonTranscoder();
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 3 }), (spans) => {
        const { rows, ...rest } = transcoder.transcode(Buffer.from(otlpJsonOf(requestOfSpans(spans))));
        expect(readSpanRows(rows.bytes)).toEqual(spans.map(otlpSpanOf));
        expect({ ...rest, count: rows.count }).toEqual({
          rejectedSpans: 0,
          errorMessage: "",
          count: spans.length,
        });
      }),
    );
  });

  test("takes both spellings, numbers or strings, names or numbers, and ignores the unknown", () => {
    const camel =
      decode(`{"resourceSpans":[{"schemaUrl":"s","x":1,"resource":{"droppedAttributesCount":2,"attributes":
      [{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"scope":{"name":"lib","future":[]},"spans":
      [{${ids},"parentSpanId":"0000000000000000","name":"a","kind":"SPAN_KIND_CLIENT","startTimeUnixNano":"1700000000123456789",
      "endTimeUnixNano":"1700000000123456790","flags":"1","status":{"code":"STATUS_CODE_ERROR"},"traceState":null}]}]}]}`);
    const snake =
      decode(`{"resource_spans":[{"schema_url":"s","resource":{"dropped_attributes_count":2,"attributes":
      [{"key":"service.name","value":{"string_value":"shop"}}]},"scope_spans":[{"scope":{"name":"lib"},"spans":
      [{"trace_id":"0102030405060708090a0b0c0d0e0f10","span_id":"1112131415161718","name":"a","kind":3,
      "start_time_unix_nano":1700000000123456789,"end_time_unix_nano":1700000000123456790,"flags":1,
      "status":{"code":2}}]}]}]}`);
    expect(snake).toEqual(camel);
    expect(camel).toMatchObject([
      {
        traceId: "0102030405060708090a0b0c0d0e0f10",
        parentSpanId: "",
        kind: "client",
        startTimeUnixNano: 1700000000123456789n,
        durationNano: 1n,
        status: { code: "error" },
        resource: { serviceName: "shop", droppedAttributesCount: 2, schemaUrl: "s" },
      },
    ]);
  });

  test.each<[json: string, value: AttributeValue]>([
    ["null", { type: "empty" }],
    ["{}", { type: "empty" }],
    ['{"stringValue":""}', { type: "string", value: "" }],
    ['{"stringValue":"1234567890123456789"}', { type: "string", value: "1234567890123456789" }],
    ['{"boolValue":false}', { type: "bool", value: false }],
    ['{"intValue":"-9223372036854775808"}', { type: "int", value: -9223372036854775808n }],
    ['{"intValue":9223372036854775807}', { type: "int", value: 9223372036854775807n }],
    ['{"intValue":7}', { type: "int", value: 7n }],
    ['{"doubleValue":2}', { type: "double", value: 2 }],
    ['{"doubleValue":9007199254740993}', { type: "double", value: 9007199254740992 }],
    ['{"doubleValue":0.1234567890123456789}', { type: "double", value: 0.12345678901234568 }],
    ['{"doubleValue":"-Infinity"}', { type: "double", value: -Infinity }],
    ['{"bytesValue":"AP-_"}', { type: "bytes", value: Buffer.from([0, 255, 191]) }],
    [
      '{"arrayValue":{"values":[{"intValue":1},{}]}}',
      { type: "array", value: [{ type: "int", value: 1n }, { type: "empty" }] },
    ],
    ['{"arrayValue":{}}', { type: "array", value: [] }],
    [
      '{"kvlistValue":{"values":[{"key":"a"}]}}',
      { type: "kvlist", value: [{ key: "a", value: { type: "empty" } }] },
    ],
  ])("reads the value %s", (json, value) => {
    expect(valueWith(json)).toEqual(value);
  });

  test("rejects spans without ids and stores the others", () => {
    const json = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"no ids"},{${ids}},{"traceId":"${"0".repeat(32)}",
      "spanId":"1112131415161718"}]}]}]}`;
    const result = new OtlpJsonTranscoder().transcode(Buffer.from(json));
    expect(result.rows.count).toBe(1);
    expect(result.rejectedSpans).toBe(2);
    expect(result.errorMessage).toBe(
      '2 spans rejected: span "no ids" at resourceSpans[0].scopeSpans[0].spans[0]: empty trace id; ' +
        'span "" at resourceSpans[0].scopeSpans[0].spans[2]: empty trace id',
    );
  });

  test.each<[json: string, code: string]>([
    ["{}", "none"],
    ['{"resourceSpans":[]}', "none"],
    ["", "WIRE_MALFORMED"],
    ["null", "WIRE_MALFORMED"],
    ["[]", "WIRE_MALFORMED"],
    ['{"resourceSpans":[', "WIRE_MALFORMED"],
    ['{"resourceSpans":{}}', "WIRE_MALFORMED"],
    ['{"resourceSpans":["x"]}', "WIRE_MALFORMED"],
    [requestOf(`${ids},"name":7`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"name":{"a":1234567890123456789}`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"name":1234567890123456789`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"startTimeUnixNano":${"9".repeat(5_000)}`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"kind":"CLIENT"`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"kind":99`), "none"],
    [requestOf(`${ids},"startTimeUnixNano":1.5`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"startTimeUnixNano":"soon"`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"startTimeUnixNano":-1`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"startTimeUnixNano":18446744073709551616`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"flags":4294967296`), "warned"],
    [requestOf(`${ids},"attributes":[{"value":{"intValue":"9223372036854775808"}}]`), "warned"],
    [requestOf(`${ids},"attributes":[{"value":{"boolValue":"true"}}]`), "warned"],
    [requestOf(`${ids},"attributes":[{"value":{"doubleValue":""}}]`), "warned"],
    [requestOf(`${ids},"attributes":[{"value":{"bytesValue":"*"}}]`), "warned"],
    [requestOf(`${ids},"attributes":[{"value":"x"}]`), "warned"],
    [requestOf('"traceId":"0102"'), "rejected"],
    [requestOf(`${ids},"spanId":"AAECAwQFBgc="`), "rejected"],
    [requestOf(`${ids},"spanId":"111213141516171g"`), "WIRE_MALFORMED"],
    [requestOf(`${ids},"traceId":"1112131415161718"`), "warned"],
    [requestOf(`${ids},"parentSpanId":"AAECAwQFBgc="`), "warned"],
    [requestOf(`${ids},"links":[{"spanId":"1"}]`), "warned"],
    ["[".repeat(100_000), "WIRE_TOO_DEEP"],
    [requestOf(`${ids},${nestedKvlists(maxAttributeDepth)}`), "none"],
    [requestOf(`${ids},${nestedKvlists(maxAttributeDepth + 1)}`), "warned"],
    [`{"x":"${'[{\\"'.repeat(1_000)}"}`, "none"],
    ['{"x":"\\', "WIRE_MALFORMED"],
    [`{"x":[${"{},".repeat(999_998)}{}]}`, "none"],
    [`{"x":[${"{},".repeat(999_999)}{}]}`, "WIRE_TOO_LARGE"],
    [`{"x":[${"0,".repeat(2_000_000)}0]}`, "WIRE_TOO_LARGE"],
    [`{"x":"${",".repeat(2_000_001)}"}`, "none"],
  ])("answers %.80s", (json, code) => {
    expect(codeOf(json)).toBe(code);
  });

  test.each([
    [`${ids},"name":7`, "name is 7, not a string"],
    [`${ids},"\\u006eame":[]`, "name is an array, not a string"],
    [`${ids},"kind":1.5`, "kind is 1.5, not a number or SPAN_KIND_…"],
    [`${ids},"traceState":"x","name":{},"x":1`, "name is an object, not a string"],
  ])("names the member in the error for %s", (members, message) => {
    expect(() => decode(requestOf(members))).toThrow(
      expect.objectContaining({ message: `resourceSpans[0].scopeSpans[0].spans[0].${message}` }),
    );
  });

  const one = "resourceSpans[0].scopeSpans[0]";
  test.each([
    [
      '"events":[{},{"attributes":[{},{"value":{"intValue":"1.5"}}]}]',
      'spans[0].events[1].attributes[1].value.intValue is "1.5", not an integer',
    ],
    ['"status":{"code":"OK"}', 'spans[0].status.code is "OK", not a number or STATUS_CODE_…'],
    ['"status":[]', "spans[0].status is an array, not an object"],
    ['"status":{"message":{}}', "spans[0].status.message is an object, not a string"],
    ['"flags":-1', "spans[0].flags is -1, not an unsigned 32-bit integer"],
    ['"traceState":1', "spans[0].traceState is 1, not a string"],
    ['"attributes":{"a":"b"}', "spans[0].attributes is an object, not an array"],
    ['"attributes":["x"]', 'spans[0].attributes[0] is "x", not an object'],
    ['"attributes":[{"key":1}]', "spans[0].attributes[0].key is 1, not a string"],
    ['"attributes":[{"key":"k","value":[]}]', "spans[0].attributes[0].value is an array, not an object"],
    [
      '"attributes":[{"value":{"arrayValue":{"values":[7]}}}]',
      "spans[0].attributes[0].value.arrayValue.values[0] is 7, not an object",
    ],
    [
      '"attributes":[{"value":{"kvlistValue":[]}}]',
      "spans[0].attributes[0].value.kvlistValue is an array, not an object",
    ],
    ['"events":{}', "spans[0].events is an object, not an array"],
    ['"events":[1]', "spans[0].events[0] is 1, not an object"],
    ['"events":[{"name":1}]', "spans[0].events[0].name is 1, not a string"],
    ['"events":[{"timeUnixNano":"soon"}]', 'spans[0].events[0].timeUnixNano is "soon", not an integer'],
    ['"links":"x"', 'spans[0].links is "x", not an array'],
    ['"links":[{"flags":{}}]', "spans[0].links[0].flags is an object, not an integer"],
    ['"droppedEventsCount":"x"', 'spans[0].droppedEventsCount is "x", not an integer'],
  ])("drops the part, keeps the span and warns for %s", (members, warning) => {
    const [span, other] = decode(requestOf(`${ids},"name":"a",${members}},{${ids},"name":"b"`));
    expect(span).toMatchObject({ name: "a", warnings: [`dropped: ${one}.${warning}`] });
    expect(other).toMatchObject({ name: "b", warnings: [] });
  });

  test("an attribute whose value is dropped keeps its key, and its neighbours", () => {
    const list =
      '[{"key":"a","value":{"intValue":1}},{"key":"k","value":7},{"key":"z","value":{"intValue":2}}]';
    const span = spanOf(`"attributes":${list},"events":[{"name":"e","attributes":${list}}]`);
    const kept = [
      { key: "a", value: { type: "int", value: 1n } },
      { key: "k", value: { type: "empty" } },
      { key: "z", value: { type: "int", value: 2n } },
    ];
    expect([span.attributes, span.events[0]?.attributes]).toEqual([kept, kept]);
    expect(span.warnings).toHaveLength(2);
  });

  test.each([
    ["[]", "{}", "resource is an array, not an object"],
    ['{"attributes":{}}', "{}", "resource.attributes is an object, not an array"],
    ['{"attributes":[[]]}', "{}", "resource.attributes[0] is an array, not an object"],
    ['{"droppedAttributesCount":"many"}', "{}", 'resource.droppedAttributesCount is "many", not an integer'],
    ["{}", "[]", "scopeSpans[0].scope is an array, not an object"],
    ["{}", '"lib"', 'scopeSpans[0].scope is "lib", not an object'],
    ["{}", '{"name":[]}', "scopeSpans[0].scope.name is an array, not a string"],
    ["{}", '{"attributes":5}', "scopeSpans[0].scope.attributes is 5, not an array"],
  ])("keeps the spans of resource %s and scope %s", (resource, scope, warning) => {
    const spans = decode(
      `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[{${ids}},{${ids}}]},` +
        `{"scope":{"name":"good"},"spans":[{${ids}}]}]},{"scopeSpans":[{"spans":[{${ids}}]}]}]}`,
    );
    const warnings = [`dropped: resourceSpans[0].${warning}`];
    const second = warning.startsWith("resource") ? warnings : [];
    expect(spans.map((span) => span.warnings)).toEqual([warnings, warnings, second, []]);
    expect(spans[2]?.scope.name).toBe("good");
  });

  test.each([
    ['{"scopeSpans":7}', "resourceSpans[1]: resourceSpans[1].scopeSpans is 7, not an array"],
    ['{"scopeSpans":[{"spans":{}}]}', "scopeSpans[0].spans is an object, not an array"],
    ['{"scopeSpans":["x"]}', 'resourceSpans[1].scopeSpans[0] is "x", not an object'],
    ["true", "resourceSpans[1] is true, not an object"],
  ])("what should hold spans, but is %s, costs no span of another", (broken, reason) => {
    const { rows, rejectedSpans, errorMessage } = new OtlpJsonTranscoder().transcode(
      Buffer.from(
        `{"resourceSpans":[{"scopeSpans":[{"spans":[{${ids}}]}]},${broken},{"scopeSpans":[{"spans":[{${ids}}]}]}]}`,
      ),
    );
    expect([rows.count, rejectedSpans]).toEqual([2, 1]);
    expect(errorMessage).toContain(reason);
  });

  test("a hundred thousand bad spans cost time in proportion", () => {
    const timeOf = (count: number) => {
      const spans = `{${ids},"name":1},`.repeat(count);
      const request = Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}{${ids}}]}]}]}`);
      const before = process.cpuUsage();
      expect(new OtlpJsonTranscoder().transcode(request).rejectedSpans).toBe(count);
      return process.cpuUsage(before).user;
    };
    timeOf(1_000);
    // A search from the start for each path would take more than a hundred times as long.
    expect(timeOf(60_000) / timeOf(6_000)).toBeLessThan(40);
  });

  test("takes the last of repeated members, and null as absent", () => {
    const span = spanOf(
      '"name":"a","name":"b","traceState":"x","traceState":null,"flags":1,"flags":2,"kind":null,' +
        '"attributes":[{"key":"x"}],"attributes":[{"key":"k","key":"y","value":{"intValue":1},"value":{"intValue":2}}]',
    );
    expect(span).toMatchObject({ name: "b", traceState: "", flags: 2, kind: "unspecified" });
    expect(span.attributes).toEqual([{ key: "y", value: { type: "int", value: 2n } }]);
    expect(valueWith('{"intValue":1,"stringValue":"s"}')).toEqual({ type: "string", value: "s" });
    expect(valueWith('{"stringValue":null,"intValue":1}')).toEqual({ type: "int", value: 1n });
  });

  test("reads escapes in names, strings and ids", () => {
    const [span] = decode(
      requestOf(
        '"traceId":"0102030405060708090A0b0c0d0e0f\\u0031\\u0030","spanId":"1112131415161718",' +
          '"n\\u0061me":"\\ud83d\\ude00 \\ud800 \\"\\\\\\/\\b\\f\\n\\r\\t","kind":"SPAN_KIND_\\u0053ERVER"',
      ),
    );
    expect(span).toMatchObject({
      traceId: "0102030405060708090a0b0c0d0e0f10",
      name: '\u{1f600} \ufffd "\\/\b\f\n\r\t',
      kind: "server",
    });
  });

  test("finds resource and scope behind the spans", () => {
    const [span] = decode(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"n",${ids}}],"schemaUrl":"s2",
      "scope":{"version":"1"}}],"schemaUrl":"s1","resource":{"attributes":[
      {"value":{"stringValue":"shop"},"key":"service.name"},{"key":"service.name","value":{"stringValue":"late"}}]}}]}`);
    expect(span).toMatchObject({
      resource: { serviceName: "shop", schemaUrl: "s1" },
      scope: { version: "1", schemaUrl: "s2" },
    });
  });

  test.each([
    ["0", 0n],
    ["9", 9n],
    ["999999999", 999999999n],
    ["1000000000", 1000000000n],
    ["4294967295", 4294967295n],
    ["4294967296", 4294967296n],
    ["1700000000123456789", 1700000000123456789n],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ['"00000000000000000012"', 12n],
    ["1.7e18", 1700000000000000000n],
  ])("reads the time %s exactly", (json, time) => {
    expect(spanOf(`"startTimeUnixNano":${json},"endTimeUnixNano":${json}`)).toMatchObject({
      startTimeUnixNano: time,
      durationNano: 0n,
    });
  });

  test("reads every 64-bit time and int, as number and as string", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.nat(18),
        fc.boolean(),
        (large, digits, quoted) => {
          const time = large / 10n ** BigInt(digits);
          const int = BigInt.asIntN(64, large) / 10n ** BigInt(digits);
          const json = (value: bigint) => (quoted ? `"${value}"` : String(value));
          const span = spanOf(
            `"events":[{"timeUnixNano":${json(time)},"attributes":[{"value":{"intValue":${json(int)}}}]}]`,
          );
          expect(span.events[0]?.timeUnixNano).toBe(BigInt.asIntN(64, time));
          expect(span.events[0]?.attributes[0]?.value).toEqual({ type: "int", value: int });
        },
      ),
    );
  });

  test("stops at maxRowsBytes when a large resource stands before many spans", () => {
    const request = Buffer.from(
      `{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":{"stringValue":"${"v".repeat(10_000)}"}}]},
        "scopeSpans":[{"spans":[${Array.from({ length: 100 }, () => `{${ids}}`).join(",")}]}]}]}`,
    );
    const part = new OtlpJsonTranscoder({ maxRowsBytes: 500_000 }).transcode(request);
    expect([part.rows.count, part.rejectedSpans]).toEqual([49, 51]);
    expect(part.errorMessage).toMatch(
      /spans\[49\]: rows of 5\d+ bytes are over maxRowsBytes .* and 41 more$/,
    );
    expect(new OtlpJsonTranscoder().transcode(request).rows.count).toBe(100);
  });

  test("is good for the next request after one refused in the middle", () => {
    const transcoder = new OtlpJsonTranscoder();
    const bad = `{"resourceSpans":[{"scopeSpans":[{"spans":[{${ids},"name":7}]}]},{"scopeSpans":7}]}`;
    expect(() => transcoder.transcode(Buffer.from(bad))).toThrow(WireError);
    expect(transcoder.transcode(Buffer.from(requestOf(ids))).rows.count).toBe(1);
  });
});

test("reads null in a list as an empty element, as the public model does", () => {
  const ids = `"traceId":"${"01".repeat(16)}","spanId":"${"02".repeat(8)}"`;
  const values = '{"key":"k","value":{"arrayValue":{"values":[null,{"intValue":1}]}}}';
  const span = `{${ids},"name":"a","events":[null],"links":[null],"attributes":[null,${values}]}`;
  const message = `{"resourceSpans":[null,{"scopeSpans":[null,{"spans":[${span},null]}]}]}`;
  const { rows, rejectedSpans } = new OtlpJsonTranscoder().transcode(Buffer.from(message));
  const [found] = readSpanRows(rows.bytes);
  // The null in the list of spans is a span without ids.
  expect([rows.count, rejectedSpans]).toEqual([1, 1]);
  expect([found?.events.length, found?.links.length, found?.attributes.length]).toEqual([1, 1, 2]);
});
