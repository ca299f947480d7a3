import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span } from "../model/span.ts";
import { tupleOf } from "../testing/details-text-of.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { DetailsText, type OriginDetails, type OwnDetails } from "./details-text.ts";
import { RowReader } from "./row-reader.ts";

function read(text: Buffer): OriginDetails & OwnDetails {
  // Surrounding bytes of the rows must not be read.
  const around = Buffer.from("(9)");
  const details = new DetailsText(new RowReader(Buffer.concat([around, text, around])));
  details.open(around.length, around.length + text.length);
  return { ...details.origin(), ...details.own() };
}

function told(span: Span): OriginDetails & OwnDetails {
  const { droppedAttributesCount, droppedEventsCount, links, droppedLinksCount, warnings } = span;
  return {
    resourceDropped: span.resource.droppedAttributesCount,
    scopeAttributes: span.scope.attributes,
    scopeDropped: span.scope.droppedAttributesCount,
    ...{ droppedAttributesCount, droppedEventsCount, links, droppedLinksCount, warnings },
  };
}

const malformed = expect.objectContaining({ name: "WireError", code: "WIRE_MALFORMED" });
const link = `('${"t".repeat(16)}','${"s".repeat(8)}','',[],0,0,'none')`;

describe("DetailsText", () => {
  test("reads what a span has", () => {
    fc.assert(
      fc.property(spanArbitrary, (span) => {
        expect(read(tupleOf(span))).toEqual(told(span));
      }),
    );
  });

  test("reads bytes that are not UTF-8, and all that stand behind a backslash", () => {
    const ids = `${String.raw`'\b\f\n\r\t\0\'\\abcdefg`}\xff','\x80\\0234567'`;
    const text = `(1,[('\xff','string','\\'\x80'),('','bytes','00')],2,3,4294967295,[(${ids},'\\\\',[],5,6,'follows_from')],7,['(\\'','a'])`;
    expect(read(Buffer.from(text, "latin1"))).toEqual({
      resourceDropped: 1,
      scopeAttributes: [
        { key: "\ufffd", value: { type: "string", value: "'\ufffd" } },
        { key: "", value: { type: "bytes", value: Buffer.from([0]) } },
      ],
      scopeDropped: 2,
      droppedAttributesCount: 3,
      droppedEventsCount: 4_294_967_295,
      links: [
        {
          traceId: `080c0a0d0900275c${Buffer.from("abcdefg").toString("hex")}ff`,
          spanId: `8000${Buffer.from("234567").toString("hex")}`,
          ...{
            traceState: "\\",
            attributes: [],
            droppedAttributesCount: 5,
            flags: 6,
            refType: "follows_from",
          },
        },
      ],
      droppedLinksCount: 7,
      warnings: ["('", "a"],
    });
  });

  test("refuses a text that is cut anywhere, or goes on", () => {
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 3 }) as [Span];
    const text = tupleOf(span);
    for (let end = 0; end < text.length; end++) {
      expect(() => read(text.subarray(0, end))).toThrow(malformed);
    }
    expect(() => read(Buffer.concat([text, Buffer.from(")")]))).toThrow(malformed);
  });

  test.each([
    ["a number that is none", "(x,[],0,0,0,[],0,[])"],
    ["a number that is missing", "(,[],0,0,0,[],0,[])"],
    ["a number with a sign", "(-1,[],0,0,0,[],0,[])"],
    ["a number with zeros in front", "(01,[],0,0,0,[],0,[])"],
    ["a number of over 32 bits", "(0,[],0,4294967296,0,[],0,[])"],
    ["a number of many digits", `(0,[],0,${"1".repeat(400)},0,[],0,[])`],
    ["a space", "(0, [],0,0,0,[],0,[])"],
    ["a list that ends in a comma", "(0,[],0,0,0,[],0,['a',])"],
    ["a list without commas", "(0,[],0,0,0,[],0,['a''b'])"],
    ["a text without quotes", "(0,[],0,0,0,[],0,[a])"],
    ["a backslash before another letter", "(0,[],0,0,0,[],0,['\\x41'])"],
    ["a type of attributes that is none", "(0,[('a','toString','b')],0,0,0,[],0,[])"],
    ["a value that is not of its type", "(0,[('a','bool','yes')],0,0,0,[],0,[])"],
    ["an id that is too short", `(0,[],0,0,0,[${link.replace("tt", "t")}],0,[])`],
    ["an id that is too long", `(0,[],0,0,0,[${link.replace("s", "s\\0")}],0,[])`],
    ["a type of links that is none", `(0,[],0,0,0,[${link.replace("none", "any")}],0,[])`],
    ["nothing for the warnings", "(0,[],0,0,0,[],0)"],
    ["one part too many", "(0,[],0,0,0,[],0,[],0)"],
  ])("refuses %s", (_, text) => {
    expect(read(Buffer.from("(0,[],0,0,0,[],0,[])")).warnings).toEqual([]);
    expect(read(Buffer.from(`(0,[],0,0,0,[${link}],0,[])`)).links).toHaveLength(1);
    expect(() => read(Buffer.from(text))).toThrow(malformed);
  });
});
