import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  builtInDetectors,
  type DetectorName,
  detectorNames,
  detectorsFor,
  traitFlags,
  traitSums,
} from "./built-in.ts";
import { ownPattern } from "./own-pattern.ts";

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-bmF0dXJl_";

function foundBy(name: DetectorName, text: string): string[] {
  const places = builtInDetectors[name].find(text);
  const found: string[] = [];
  for (let index = 0; index < places.length; index += 2) {
    found.push(text.slice(places[index], places[index + 1]));
  }
  return found;
}

/** The detectors that remain after the check of the bytes. */
function candidates(text: string): number {
  let [sum, seen] = [0, 0];
  const bytes = Buffer.from(text);
  for (const byte of bytes) {
    sum = (sum + (traitSums[byte] as number)) | 0;
    seen |= traitFlags[byte] as number;
  }
  return detectorsFor(sum, seen, bytes.length);
}

const rows: readonly [DetectorName, text: string, ...found: string[]][] = [
  ["email", "to ann.o'neil+x@mail.example.com, cc", "ann.o'neil+x@mail.example.com"],
  ["email", "https://x.example/?mail=ann%40example.com&b=1", "ann%40example.com"],
  ["email", "a@b.co;c@d.org.", "a@b.co", "c@d.org"],
  ["email", "jürgen@müller.example", "jürgen@müller.example"],
  ["email", "@scope/package, root@localhost, a@1.2, x@.com, 1@@b.de"],
  ["card", "pan 4111 1111 1111 1111.", "4111 1111 1111 1111"],
  ["card", "4111-1111-1111-1111/378282246310005", "4111-1111-1111-1111", "378282246310005"],
  ["card", "2024-01-05 4111111111111111", "4111111111111111"],
  [
    "card",
    "5555555555554444,6011111111111117 3530111333300000",
    "5555555555554444",
    "6011111111111117",
    "3530111333300000",
  ],
  ["card", "4111111111111112 1700000000000000000 0.4111111111111111 a4111111111111111b 41111111111111111111"],
  ["ipv4", "from 192.0.2.17:8080 to 10.0.0.1.", "192.0.2.17", "10.0.0.1"],
  ["ipv4", "http://203.0.113.9/a", "203.0.113.9"],
  ["ipv4", "1.2.3 1.2.3.4.5 256.1.1.1 v1.2.3.4 Chrome/149.0.0.0 1.2.3.4x"],
  ["ipv6", "[2001:db8::1]:443 and fe80::1%eth0", "2001:db8::1", "fe80::1"],
  ["ipv6", "::ffff:192.0.2.1, ::1.", "::ffff:192.0.2.1", "::1"],
  ["ipv6", "12:30:45 00:1a:2b:3c:4d:5e std::vector Bad::Face a::b http://x:80:"],
  ["jwt", `token=${jwt}&x`, jwt],
  ["jwt", "eyJhbGciOiJkaXIifQ..iv.cipher.tag", "eyJhbGciOiJkaXIifQ..iv.cipher.tag"],
  ["jwt", "eyJhbGciOiJIUzI1NiJ9 x.eyJ keyJ.a.b"],
  ["bearer", "Authorization: Bearer abc12345.xyz next", "abc12345.xyz"],
  ["bearer", "basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["bearer", "bearer authentication failed; basic authentication too"],
  ["userinfo", "amqps://user:p@ss@queue:5671/x postgres://a:b@db", "user:p@ss", "a:b"],
  ["userinfo", "http://a.example:80/x@y:z mailto:a@b ssh://git@host/ http://[::1]:8080/"],
  ["card", "4111111111111111 123 51 4111111111111111", "4111111111111111", "4111111111111111"],
  ["card", "translate(0%, -0.5309136012499991%) 1548138160707 1747-9192-2056-7223"],
  ["key", "id AKIAIOSFODNN7EXAMPLE!", "AKIAIOSFODNN7EXAMPLE"],
  ["key", `key=sk_${"live"}_abcdefghij0123456789`, `sk_${"live"}_abcdefghij0123456789`],
  [
    "key",
    "x -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- y",
    "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- ",
  ],
  ["key", "risk-management-of-everything-here -----BEGIN PUBLIC KEY-----"],
];

describe("built-in detectors", () => {
  test.each(rows)("%s in %j", (name, text, ...found) => {
    expect(foundBy(name, text).map((part) => part.trim())).toEqual(found.map((part) => part.trim()));
    // The check of the bytes must never exclude a detector that finds something.
    if (found.length > 0) {
      expect(candidates(text) & builtInDetectors[name].bit).not.toBe(0);
    }
  });

  test("find in any text places in their order, and only where a look at the bytes says so", () => {
    const piece = fc.constantFrom(
      ...[
        "@",
        ".",
        ":",
        "::",
        "eyJ",
        "Bearer ",
        "basic%20",
        "4",
        "4111111111111111",
        "10.0.0.1",
        "%40",
        "a",
        "ä",
        " ",
      ],
      ...["-", "fe80", "AKIA0123456789ABCDEF", "com", "-----BEGIN PRIVATE KEY-----"],
    );
    const text = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 30 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.constantFrom(...detectorNames), (value, name) => {
        const places = builtInDetectors[name].find(value);
        expect([...places].sort((a, b) => a - b)).toEqual(places);
        expect(new Set(places.filter((_, index) => index % 2 === 0)).size).toBe(places.length / 2);
        if (places.length > 0) {
          expect(candidates(value) & builtInDetectors[name].bit).not.toBe(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  // With a quadratic search these texts would take minutes and exceed the time limit of the test.
  test.each([
    ["a@", 100_000],
    ["a", 200_000],
    ["1 ", 100_000],
    ["1.", 100_000],
    ["::", 100_000],
    ["://a:", 40_000],
    ["://@", 50_000],
    ["eyJ", 70_000],
    ["eyJ.", 50_000],
    ["Bearer ", 30_000],
    ["-----BEGIN RSA PRIVATE KEY-----", 7_000],
  ])("take time in proportion to %j, %d times", (piece, times) => {
    const text = piece.repeat(times);
    for (const name of detectorNames) {
      builtInDetectors[name].find(text);
    }
  });
});

describe("own patterns", () => {
  test("find every match", () => {
    expect(ownPattern("cust-[0-9]+")("a cust-12 cust-x cust-3")).toEqual([2, 9, 17, 23]);
  });

  test("never match nothing", () => {
    expect(ownPattern("\\bx*y?z")("az z")).toEqual([3, 4]);
  });

  test.each([
    ["a*", "matches the empty text"],
    ["(a", "is no pattern of RE2"],
    ["(?<=a)b", "is no pattern of RE2"],
    ["(a)\\1", "is no pattern of RE2"],
    ["((a{30}){30}){30}", "is no pattern of RE2"],
    ["a{900}b{900}c{900}", "instructions, over the limit"],
  ])("%s is refused", (pattern, why) => {
    expect(() => ownPattern(pattern)).toThrow(why);
  });

  test("what would take too long counts as found", () => {
    const text = "a".repeat(65_536);
    expect(ownPattern("(a+)+b|a")(text).at(-1)).toBe(text.length);
    expect(ownPattern("never")(`${text}a`)).toEqual([0, text.length + 1]);
  });
});
