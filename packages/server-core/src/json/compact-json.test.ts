import fc from "fast-check";
import { expect, test } from "vitest";
import { compactJson } from "./compact-json.ts";

test("keeps the order of keys and the blanks in texts, and escapes what may stand in HTML", () => {
  expect(compactJson(' { "b" :\t[ 1 ,\n2 ], "a  \\" c": "<&> \u2028" } ')).toBe(
    '{"b":[1,2],"a  \\" c":"\\u003c\\u0026\\u003e \\u2028"}',
  );
});

test("says the same, however it was written", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
      const compact = compactJson(JSON.stringify(value, undefined, indent));
      expect(JSON.parse(compact)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(compact.length).toBe(compactJson(JSON.stringify(value)).length);
    }),
  );
});
