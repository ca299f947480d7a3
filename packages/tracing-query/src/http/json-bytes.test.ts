import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonBytes, knownBytes, microsText } from "./json-bytes.ts";

function written(write: (out: JsonBytes) => void): string {
  const out = new JsonBytes(16, 16);
  out.text("<");
  write(out);
  out.text(">");
  return out.take().toString();
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function nanoBytes(nano: bigint): DataView {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, nano, true);
  return view;
}

describe("JsonBytes", () => {
  test("writes texts of any length, known or not", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("", "x".repeat(9_000), "é".repeat(5_000)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
        const all = (out: JsonBytes) => {
          for (const one of texts) {
            out.text(one);
            out.known(knownBytes(one));
          }
        };
        expect(written(all)).toBe(`<${texts.map((one) => one + one).join("")}>`);
      }),
    );
  });

  test("takes plain text for what JSON has as it is, and nothing else", () => {
    const unit = fc.oneof(
      fc.constantFrom("a", " ", "~", "\u007f"),
      fc.constantFrom('"', "\\", "\u001f", "\0", "\u0080", "é"),
    );
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", " ", "~", "\u007f", "!", "#", "[", "]") }),
      fc.string({ unit }),
      fc.constant("y".repeat(9_000)),
    );
    fc.assert(
      fc.property(text, fc.nat({ max: 3 }), (one, before) => {
        const bytes = Buffer.from(`"${" ".repeat(before)}${one}`);
        const start = before + 1;
        const isPlain = Buffer.byteLength(one) === one.length && JSON.stringify(one) === `"${one}"`;
        let found: boolean | undefined;
        const write = (out: JsonBytes) => {
          found = out.plain(viewOf(bytes), start, bytes.length);
        };
        expect(written(write)).toBe(isPlain ? `<${one}>` : "<>");
        expect(found).toBe(isPlain);
      }),
      { numRuns: 500 },
    );
  });

  test("writes ids in hex", () => {
    const bytes = Buffer.from("00ff0123456789abcdef", "hex");
    expect(written((out) => out.hex(viewOf(bytes), 2))).toBe("<0123456789abcdef>");
  });

  test("writes nanoseconds in microseconds, as bigints do it", () => {
    const near = (value: bigint) => fc.bigInt({ min: value - 2_000n, max: value + 2_000n });
    const nano = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: 0n, max: 10n ** 13n }),
      ...[0n, 10n ** 11n, 2n ** 32n * 1_000n, 1_795_393_417_040_524_000n].map(near),
      ...[0x7d00_0000n * 2n ** 32n, 100_000_000_000n * 1_000n, 2n ** 32n].map(near),
    );
    fc.assert(
      fc.property(nano, (one) => {
        expect(written((out) => out.micros(nanoBytes(one), 0))).toBe(`<${microsText(one)}>`);
      }),
      { numRuns: 2_000 },
    );
  });

  test("goes back, and begins anew with each piece", () => {
    const out = new JsonBytes(16, 20);
    out.text("abc");
    out.cut(1);
    out.byte(0x78);
    expect(out.length).toBe(2);
    const small = out.take();
    out.text("z".repeat(16));
    const large = out.take();
    out.text("?".repeat(16));
    expect([small, large, out.take()].map(String)).toEqual(["ax", "z".repeat(16), "?".repeat(16)]);
    expect(out.length).toBe(0);
  });

  test("is full with more from piece to piece", () => {
    const out = new JsonBytes(16, 24);
    const lengths = Array.from({ length: 4 }, () => {
      while (!out.isFull) {
        out.byte(0x61);
      }
      return out.take().length;
    });
    expect(lengths).toEqual([16, 20, 24, 24]);
  });
});
