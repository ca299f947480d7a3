import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonFault } from "./json-fault.ts";

// Texts and offsets of Caddy.
test.each([
  ['{"a":1', "unexpected end of JSON input", 6],
  ['{"x', "unexpected end of JSON input", 3],
  ["", "unexpected end of JSON input", 0],
  ["nope", "invalid character 'o' in literal null (expecting 'u')", 2],
  ["xyz", "invalid character 'x' looking for beginning of value", 1],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string", 2],
  ['{"a" 1}', "invalid character '1' after object key", 6],
  ['{"a":1 2}', "invalid character '2' after object key:value pair", 8],
  ["[1 2]", "invalid character '2' after array element", 4],
  ["[1,]", "invalid character ']' looking for beginning of value", 4],
  ["1 2", "invalid character '2' after top-level value", 3],
  ["01", "invalid character '1' after top-level value", 2],
  ["1.x", "invalid character 'x' after decimal point in numeric literal", 3],
  ["1e+", "unexpected end of JSON input", 3],
  ['"\\q"', "invalid character 'q' in string escape code", 3],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape", 6],
  ['"a\nb"', "invalid character '\\n' in string literal", 3],
])("%j: %s, at offset %d", (text, reason, offset) => {
  expect(findJsonFault(Buffer.from(text))).toEqual({ reason, offset });
});

test("agrees with JSON.parse on what is JSON", () => {
  const fragments = fc.constantFrom(
    ..."{}[]:,",
    '"a"',
    '"',
    "\\",
    "0",
    "1",
    "-",
    ".",
    "e",
    "true",
    "null",
    " ",
    "\n",
    "é",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.array(fragments).map((parts) => parts.join("")),
      ),
      (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        expect(findJsonFault(Buffer.from(text)) === undefined).toBe(parses);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("depth costs no call stack", () => {
  expect(findJsonFault(Buffer.from("[".repeat(200_000)))).toMatchObject({ offset: 200_000 });
});
