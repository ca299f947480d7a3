// Spans under the name that senders before OTLP 0.15 use, and from senders of the transition that send both names.
import { describe, expect, test } from "vitest";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { type ProtoField, protoMessage, spanId, traceId } from "../testing/proto-fields.ts";
import { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";

const idsOf = (last: number) =>
  `"traceId":"${traceId.toString("hex")}","spanId":"${spanId.subarray(0, 7).toString("hex")}0${last}"`;
const spanNamed = (name: string, last: number) => `{${idsOf(last)},"name":"${name}"}`;

function decodeJson(resourceSpans: string) {
  const { rows, ...rest } = new OtlpJsonTranscoder().transcode(
    Buffer.from(`{"resourceSpans":[${resourceSpans}]}`),
  );
  const spans = readSpanRows(rows.bytes).map(({ name, scope }) => [scope.name, scope.version, name]);
  return { spans, ...rest };
}

describe("JSON", () => {
  const library = '"instrumentationLibrary":{"name":"old","version":"1"}';
  const old = `{${library},"spans":[${spanNamed("a", 1)},${spanNamed("b", 2)}]}`;
  const none = { rejectedSpans: 0, errorMessage: "" };

  test.each([
    ["in one spelling", `{"instrumentationLibrarySpans":[${old}]}`],
    [
      "in the other",
      `{"instrumentation_library_spans":[${old.replace("instrumentationLibrary", "instrumentation_library")}]}`,
    ],
    ["beside an empty list", `{"scopeSpans":[],"instrumentationLibrarySpans":[${old}]}`],
    ["under the new name of the list", `{"scopeSpans":[${old}]}`],
  ])("%s", (_, resourceSpans) => {
    const spans = [
      ["old", "1", "a"],
      ["old", "1", "b"],
    ];
    expect(decodeJson(resourceSpans)).toEqual({ spans, ...none });
  });

  test("who sends both names sends the same spans twice: the new one counts", () => {
    const scope = `{"scope":{"name":"new"},${library},"spans":[${spanNamed("c", 3)}]}`;
    const both = `{"instrumentationLibrarySpans":[${old}],"scopeSpans":[${scope}]}`;
    expect(decodeJson(both)).toEqual({ spans: [["new", "", "c"]], ...none });
  });

  test("a span that cannot be kept is rejected alone", () => {
    const bad = `{"instrumentationLibrarySpans":[{"spans":[{"name":"x"},${spanNamed("a", 1)}]}]}`;
    expect(decodeJson(bad)).toEqual({
      spans: [["", "", "a"]],
      rejectedSpans: 1,
      errorMessage: expect.stringContaining("instrumentationLibrarySpans[0].spans[0]"),
    });
  });
});

describe("protobuf", () => {
  const group = (scope: string, name: string, last: number): ProtoField[] => [
    [1, "bytes", [[1, "bytes", scope]]],
    [
      2,
      "bytes",
      [
        [1, "bytes", traceId],
        [2, "bytes", Buffer.concat([spanId.subarray(0, 7), Buffer.from([last])])],
        [5, "bytes", name],
      ],
    ],
  ];
  const decode = (...fields: ProtoField[]) => {
    const { rows, rejectedSpans } = new OtlpTranscoder().transcode(protoMessage([1, "bytes", fields]));
    expect(rejectedSpans).toBe(0);
    return readSpanRows(rows.bytes).map(({ name, scope }) => [scope.name, name]);
  };

  test("in the field that OTLP 0.15 moved them to", () => {
    expect(decode([1000, "bytes", group("old", "a", 1)], [1000, "bytes", group("old", "b", 2)])).toEqual([
      ["old", "a"],
      ["old", "b"],
    ]);
  });

  test("in both fields: the new one counts, whichever comes first", () => {
    const [old, now]: ProtoField[] = [
      [1000, "bytes", group("old", "a", 1)],
      [2, "bytes", group("new", "a", 1)],
    ];
    expect([
      decode(old as ProtoField, now as ProtoField),
      decode(now as ProtoField, old as ProtoField),
    ]).toEqual([[["new", "a"]], [["new", "a"]]]);
  });
});
