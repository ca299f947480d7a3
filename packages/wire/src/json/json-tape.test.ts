import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { anyText } from "../testing/any-text.ts";
import { JsonTape } from "./json-tape.ts";

/** The value that the tokens of a tape describe. The last of repeated members counts, as in `JSON.parse`. */
function readValue(tape: JsonTape, token: number): unknown {
  const end = tape.after(token);
  switch (String.fromCharCode(tape.kind(token))) {
    case "{": {
      const members: [string, unknown][] = [];
      for (let name = token + 1; name < end; name = tape.after(name + 1)) {
        members.push([tape.string(name), readValue(tape, name + 1)]);
      }
      return Object.fromEntries(members);
    }
    case "[": {
      const items: unknown[] = [];
      for (let item = token + 1; item < end; item = tape.after(item)) {
        items.push(readValue(tape, item));
      }
      return items;
    }
    case '"':
      return tape.string(token);
    default:
      return JSON.parse(tape.source(token));
  }
}
/** A tape that has read a larger text before; no remains of this text may appear. */
function usedTape(): JsonTape {
  const tape = new JsonTape();
  tape.read(Buffer.from(`{"a":[1,"\\u0031",{"b":null}],"c":"${"x".repeat(50)}"}`));
  return tape;
}
function codeOf(text: string | Uint8Array): string {
  try {
    usedTape().read(Buffer.from(text as string));
    return "none";
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}

describe("JsonTape", () => {
  test("finds the values that JSON.parse finds", () => {
    const tape = usedTape();
    const text = anyText({ maxLength: 12 });
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5, noUnicodeString: false }),
        fc.constantFrom("", " ", "\r\n\t"),
        text,
        (value, space, more) => {
          const json = JSON.stringify([value, more], null, space);
          tape.read(Buffer.from(`${space}${json}${space}`));
          expect(readValue(tape, 0)).toEqual(JSON.parse(json));
          expect(tape.after(0)).toBe(tape.count);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("takes and refuses what JSON.parse takes and refuses", () => {
    const tape = usedTape();
    const seen = { good: 0, bad: 0 };
    const piece = fc.constantFrom(
      ...'{}[],:" \n\t\\-+.eEu0123',
      ...[
        '"a"',
        '"a":',
        '{"a":1}',
        "true",
        "fals",
        "null",
        "1.5e3",
        "01",
        "-0",
        "\\u00e9",
        "\\ud800",
        "\u0000",
      ],
      ...['"\\', '"\\u12', "\u00a0", "\ufeff", "é", "/", "1e", "nul", "]]"],
    );
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.array(piece, { maxLength: 3 }),
        fc.nat(),
        fc.nat(3),
        (value, pieces, place, cut) => {
          const json = JSON.stringify(value);
          const at = place % (json.length + 1);
          const text = Buffer.from(json.slice(0, at) + pieces.join("") + json.slice(at + cut)).toString();
          let expected: { value: unknown } | undefined;
          try {
            expected = { value: JSON.parse(text) as unknown };
          } catch {
            seen.bad++;
            expect(codeOf(text)).toBe("WIRE_MALFORMED");
            return;
          }
          seen.good++;
          tape.read(Buffer.from(text));
          expect(readValue(tape, 0)).toEqual(expected.value);
        },
      ),
      { numRuns: 4000, seed: 4 },
    );
    expect(seen.good).toBeGreaterThan(300);
    expect(seen.bad).toBeGreaterThan(300);
  });

  test.each<[text: string | Uint8Array, code: string]>([
    ["[".repeat(10_000) + "]".repeat(10_000), "none"],
    ["[".repeat(10_001) + "]".repeat(10_001), "WIRE_TOO_DEEP"],
    ["[".repeat(100_000), "WIRE_TOO_DEEP"],
    [`[${"0,".repeat(1_999_998)}0]`, "none"],
    [`[${"0,".repeat(2_000_000)}0]`, "WIRE_TOO_LARGE"],
    [Buffer.from([0x22, 0xff, 0x22]), "none"],
    // Half of a surrogate pair as bytes is not valid UTF-8.
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "none"],
    [Buffer.from([0x22, 0xc0, 0xaf, 0x22]), "none"],
    [Buffer.from([0xff]), "WIRE_MALFORMED"],
    ["\ufeff{}", "WIRE_MALFORMED"],
    ["", "WIRE_MALFORMED"],
    ["  ", "WIRE_MALFORMED"],
  ])("answers %.40s", (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  test.each([
    ['{"a" 1}', 'invalid JSON: unexpected "1" at byte 5'],
    ['{"a":1', "invalid JSON: it ends at byte 6"],
    ['"a\nb"', "invalid JSON: unexpected 0x0a at byte 2"],
    ['"\\x"', 'invalid JSON: unexpected "x" at byte 2'],
    ["[1 2]", 'invalid JSON: unexpected "2" at byte 3'],
    ["tru", "invalid JSON: it ends at byte 3"],
  ])("says where %s breaks off", (text, message) => {
    expect(() => usedTape().read(Buffer.from(text))).toThrow(expect.objectContaining({ message }));
  });
});
