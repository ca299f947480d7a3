import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { Http3Error } from "./http3-error.ts";
import { decodeFieldSection } from "./qpack-decoder.ts";
import { FieldSectionWriter } from "./qpack-encoder.ts";
import { staticTable } from "./qpack-static-table.ts";

const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const noLimit = 1_000_000;
const encode = (fields: readonly (readonly [string, string])[]) => {
  const writer = new FieldSectionWriter();
  for (const [name, value] of fields) {
    writer.add(name, value);
  }
  return writer.written;
};

test("knows the 99 fields of RFC 9204", () => {
  expect(staticTable).toHaveLength(99);
  expect([staticTable[0], staticTable[25], staticTable[98]]).toEqual([
    [":authority", ""],
    [":status", "200"],
    ["x-frame-options", "sameorigin"],
  ]);
});

test("reads the literal field with a name by number of RFC 9204, appendix B.1", () => {
  expect(decodeFieldSection(hex("0000 510b 2f69 6e64 6578 2e68 746d 6c"), noLimit)).toEqual([
    { name: ":path", value: "/index.html" },
  ]);
});

test("reads Huffman codes", () => {
  // RFC 7541, appendix C.4.1: www.example.com
  expect(decodeFieldSection(hex("0000 50 8c f1e3c2e5f23a6ba0ab90f4ff"), noLimit)).toEqual([
    { name: ":authority", value: "www.example.com" },
  ]);
  // custom-key: custom-value of C.4.3
  expect(decodeFieldSection(hex("0000 2f01 25a849e95ba97d7f 89 25a849e95bb8e8b4bf"), noLimit)).toEqual([
    { name: "custom-key", value: "custom-value" },
  ]);
});

test("reads what it wrote", () => {
  const fields = [
    [":status", "200"],
    [":status", "299"],
    ["content-type", "text/plain"],
    ["set-cookie", "a=b"],
    ["x-long-name-that-no-table-knows", "v".repeat(5_000)],
    ["x-bytes", "\xff\x80"],
    ["x-empty", ""],
  ] as const;
  expect(decodeFieldSection(encode(fields), noLimit)).toEqual(
    fields.map(([name, value]) => ({ name, value })),
  );
  expect(encode([[":status", "200"]]).toString("hex")).toBe("0000d9");
});

test("refuses more than its limit", () => {
  const section = encode([["x-name", "value"]]);
  expect(decodeFieldSection(section, 43)).toHaveLength(1);
  expect(decodeFieldSection(section, 42)).toBeUndefined();
});

test.each([
  ["the dynamic table", "0200 80"],
  ["a field of the dynamic table", "0000 80"],
  ["a name of the dynamic table", "0000 4001 61"],
  ["a field behind the base", "0000 10"],
  ["a static field that does not exist", "0000 ff24"],
  ["a string that ends too early", "0000 5105 61"],
  ["a wrong Huffman code", "0000 5081 00"],
  ["an integer without end", "0000 ffffffffffffffffffff"],
  ["no prefix", "00"],
])("refuses %s", (_, text) => {
  expect(() => decodeFieldSection(hex(text), noLimit)).toThrow(
    expect.objectContaining({ name: "Http3Error", code: 0x200 }),
  );
});

test("reads damaged sections or answers an Http3Error", { timeout: 180_000 + rounds * 2 }, () => {
  const random = randomOf(9_204);
  const sections = [
    encode([
      [":method", "GET"],
      [":path", "/a?b"],
      ["x-name", "value"],
      ["cookie", "c"],
    ]),
    hex("0000 50 8c f1e3c2e5f23a6ba0ab90f4ff 2f01 25a849e95ba97d7f 89 25a849e95bb8e8b4bf"),
  ];
  const seen = { good: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    const section = damagedMessage(sections, random);
    try {
      const fields = decodeFieldSection(section, 1_000);
      seen.good += fields === undefined ? 0 : 1;
    } catch (error) {
      if (!(error instanceof Http3Error)) {
        throw new Error(section.toString("hex"), { cause: error });
      }
      seen.refused++;
    }
  }
  expect(seen.good).toBeGreaterThan(rounds / 50);
  expect(seen.refused).toBeGreaterThan(rounds / 20);
});
