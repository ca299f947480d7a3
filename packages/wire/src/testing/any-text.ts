import fc from "fast-check";

const surrogates = { from: 0xd800, count: 0x800 } as const;

const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.from ? index : index + surrogates.count));

/**
 * For tests: text of any code points, and ASCII, including names of object members. `fc.string({ unit: "binary" })`
 * would do the same, but takes over a second and 100 MB for a table of all code points.
 * @param length `maxLength` in code points, 10 by default
 */
export function anyText(length: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string(length),
    fc.array(codePoint, length).map((characters) => characters.join("")),
  );
}
