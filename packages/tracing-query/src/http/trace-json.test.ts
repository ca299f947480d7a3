import { describe, expect, test } from "vitest";
import type { ApiV2Span } from "wire/api-v2";
import { childOf, followsFrom, span, tag } from "../testing/sample-span.ts";
import { envelope, errorEnvelope } from "./envelope.ts";
import { indentJson } from "./indent-json.ts";
import { tagsJson } from "./tag-json.ts";
import { tracesJson } from "./trace-json.ts";

function jsonOf(...spans: ApiV2Span[]): string {
  return [...tracesJson([{ spans, warnings: [] }])].join("");
}

test("a trace has exactly this form", () => {
  const wide = "71a81d73ce7902db83be4d12250bd874";
  const json = jsonOf(
    span({
      traceId: Buffer.from(wide, "hex"),
      id: 0xd8b7,
      flags: 1,
      operationName: 'PUT "/x"',
      references: [childOf(0xb36f, wide), followsFrom(1)],
      start: 1_795_227_853_859_640_999n,
      length: 1_316_999n,
      tags: [tag("cache.hit", true)],
      logs: [{ timestamp: { seconds: 1_795_227_853n, nanos: 859_700_000 }, fields: [tag("event", "x")] }],
      warnings: ["look out"],
    }),
  );
  expect(json).toBe(
    `[{"traceID":"${wide}","spans":[` +
      `{"traceID":"${wide}","spanID":"000000000000d8b7","flags":1,"operationName":"PUT \\"/x\\"",` +
      `"references":[{"refType":"CHILD_OF","traceID":"${wide}","spanID":"000000000000b36f"},` +
      '{"refType":"FOLLOWS_FROM","traceID":"00000000000000aa","spanID":"0000000000000001"}],' +
      '"startTime":1795227853859640,"duration":1316,' +
      '"tags":[{"key":"cache.hit","type":"bool","value":true}],' +
      '"logs":[{"timestamp":1795227853859700,"fields":[{"key":"event","type":"string","value":"x"}]}],' +
      '"processID":"p1","warnings":["look out"]}],' +
      '"processes":{"p1":{"serviceName":"service","tags":[]}},"warnings":null}]',
  );
});

test("a bare span has empty lists, null warnings and no flags", () => {
  expect(jsonOf({ ...span(), startTime: undefined, duration: undefined, process: undefined })).toBe(
    '[{"traceID":"00000000000000aa","spans":[{"traceID":"00000000000000aa","spanID":"0000000000000001",' +
      '"operationName":"op","references":[],"startTime":0,"duration":0,"tags":[],"logs":[],' +
      '"processID":"p1","warnings":null}],"processes":{"p1":{"serviceName":"","tags":[]}},"warnings":null}]',
  );
});

test("no traces are an empty list", () => {
  expect([...tracesJson([])].join("")).toBe("[]");
});

test.each([
  [tag("k", "é \u2028 <&>\n"), '"string","value":"é \u2028 <&>\\n"'],
  [tag("k", false), '"bool","value":false'],
  [tag("k", 2n ** 53n - 1n), '"int64","value":9007199254740991'],
  [tag("k", 2n ** 53n), '"int64","value":"9007199254740992"'],
  [tag("k", -(2n ** 53n) + 1n), '"int64","value":-9007199254740991'],
  [tag("k", -(2n ** 63n)), '"int64","value":"-9223372036854775808"'],
  [tag("k", 72.5), '"float64","value":72.5'],
  [tag("k", -0), '"float64","value":-0'],
  [tag("k", 1e21), '"float64","value":1e+21'],
  [tag("k", 1e20), '"float64","value":100000000000000000000'],
  [tag("k", 1e-7), '"float64","value":1e-7'],
  [tag("k", Number.NaN), '"float64","value":"NaN"'],
  [tag("k", Number.NEGATIVE_INFINITY), '"float64","value":"-Infinity"'],
  [tag("k", Buffer.from([0, 255, 16])), '"binary","value":"AP8Q"'],
  [tag("k", Buffer.alloc(0)), '"binary","value":null'],
])("tag %#: %s", (one, json) => {
  expect(tagsJson([one])).toBe(`[{"key":"k","type":${json}}]`);
});

test.each([
  [-10_000n, "18446744073709551606"],
  [-999n, "0"],
  [9_223_372_036_854_775_807n, "9223372036854775"],
])("a duration of %d ns is %s", (length, text) => {
  expect(jsonOf(span({ length }))).toContain(`"duration":${text},`);
});

describe("processes", () => {
  const process = (serviceName: string, ...tags: ReturnType<typeof tag>[]) => ({ serviceName, tags });

  test("share a key when name and tags, with their types, are equal", () => {
    const json = JSON.parse(
      jsonOf(
        span({ process: process("a", tag("n", 1n)) }),
        span({ process: process("b") }),
        span({ process: process("a", tag("n", 1n)) }),
        span({ process: process("a", tag("n", 1)) }),
      ),
    );
    expect(json[0].spans.map((one: { processID: string }) => one.processID)).toEqual([
      "p1",
      "p2",
      "p1",
      "p3",
    ]);
    expect(Object.keys(json[0].processes)).toEqual(["p1", "p2", "p3"]);
  });
});

test("a large trace comes in pieces", () => {
  const spans = Array.from({ length: 1_000 }, (_, id) => span({ id, tags: [tag("text", "x".repeat(200))] }));
  const pieces = [...tracesJson([{ spans, warnings: [] }])];
  expect(pieces.length).toBeGreaterThan(4);
  expect(JSON.parse(pieces.join(""))[0].spans).toHaveLength(1_000);
});

describe("envelope", () => {
  test("of a success", () => {
    expect([...envelope(["[", "1]"], { total: 1 })].join("")).toBe(
      '{"data":[1],"total":1,"limit":0,"offset":0,"errors":null}',
    );
  });

  test("with an error about one trace", () => {
    expect([...envelope(["[]"], { errors: [{ msg: "trace not found", traceID: "dead" }] })].join("")).toBe(
      '{"data":[],"total":0,"limit":0,"offset":0,"errors":[{"msg":"trace not found","traceID":"dead"}]}',
    );
  });

  test("of a failure", () => {
    expect(errorEnvelope(404, "trace not found")).toBe(
      '{"data":null,"total":0,"limit":0,"offset":0,"errors":[{"code":404,"msg":"trace not found"}]}\n',
    );
  });
});

describe("indentJson", () => {
  const value = { a: [], b: {}, c: [1, 'x,{[\\":', { d: null }], "e:": [[]] };

  test("indents as JSON.stringify does, however the text is cut", () => {
    const text = JSON.stringify(value);
    for (const size of [1, 3, 7, text.length]) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
      expect([...indentJson(pieces, "    ")].join("")).toBe(JSON.stringify(value, null, 4));
    }
  });

  test("keeps numbers of 64 bits", () => {
    expect([...indentJson(["[18446744073709551606]"], " ")].join("")).toBe("[\n 18446744073709551606\n]");
  });
});
