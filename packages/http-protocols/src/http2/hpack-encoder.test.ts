import fc from "fast-check";
import { expect, test } from "vitest";
import { HpackDecoder } from "./hpack-decoder.ts";
import { HpackEncoder } from "./hpack-encoder.ts";

type Field = readonly [name: string, value: string, isSecret?: boolean];

function encode(encoder: HpackEncoder, fields: readonly Field[]): Buffer {
  encoder.begin();
  for (const [name, value, isSecret] of fields) {
    encoder.add(name, value, isSecret);
  }
  return Buffer.from(encoder.end());
}

const decoded = (decoder: HpackDecoder, block: Buffer) =>
  decoder.decode(block).map(({ name, value }) => [name, value]);

test("a field of the static table is one byte, and a field that comes again soon is", () => {
  const encoder = new HpackEncoder();
  const fields: Field[] = [
    [":status", "200"],
    ["server", "x"],
    ["x-own", "some value"],
  ];
  const lengths = [1, 2, 3].map(() => encode(encoder, fields).length);
  expect(lengths).toEqual([1 + 4 + 18, 1 + 3 + 18, 3]);
});

test("a secret is never in a table", () => {
  const encoder = new HpackEncoder();
  const blocks = [1, 2, 3].map(() => encode(encoder, [["set-cookie", "a=b", true]]));
  expect(new Set(blocks.map((block) => block.toString("hex")))).toEqual(new Set(["1f2803613d62"]));
});

test("what is different each time leaves the table alone", () => {
  const encoder = new HpackEncoder();
  encode(encoder, [["a", "1"]]);
  encode(encoder, [["a", "1"]]);
  for (let index = 0; index < 1_000; index++) {
    encode(encoder, [["x-id", String(index)]]);
  }
  expect(encode(encoder, [["a", "1"]])).toHaveLength(1);
});

test("a smaller table is told before anything else, and holds from then on", () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder({ maxListBytes: 100_000 });
  const again: Field[] = [["x-long", "y".repeat(100)]];
  for (let round = 0; round < 3; round++) {
    decoder.decode(encode(encoder, again));
  }
  encoder.setTableLimit(50);
  const block = encode(encoder, again);
  expect(block.subarray(0, 2).toString("hex")).toBe("3f13");
  expect(decoded(decoder, block)).toEqual(again);
  encoder.setTableLimit(1_000_000);
  for (let round = 0; round < 3; round++) {
    expect(decoded(decoder, encode(encoder, again))).toEqual(again);
  }
});

test("whatever is written is read as it was, over any number of blocks and changes of the table", () => {
  const names = fc.constantFrom("server", "x-a", "x-b", "content-length", "set-cookie", ":status");
  const values = fc.oneof(
    fc.constantFrom("200", "a", "b", "longer and longer"),
    fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 300,
    }),
  );
  const block = fc.record({
    limit: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
    fields: fc.array(fc.tuple(names, values, fc.boolean()), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 30 }), (blocks) => {
      const encoder = new HpackEncoder();
      const decoder = new HpackDecoder({ maxListBytes: 1_000_000 });
      for (const { limit, fields } of blocks) {
        if (limit !== undefined) {
          encoder.setTableLimit(limit);
        }
        expect(decoded(decoder, encode(encoder, fields))).toEqual(
          fields.map(([name, value]) => [name, value]),
        );
      }
    }),
  );
});
