import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeResponseFields } from "./response-head.ts";

/** Replaces cached values by values that never occur again, as if nothing had been encoded before. */
let salt = 0;
function forget(count: number): void {
  encodeResponseFields(
    Array.from({ length: count * 2 }, () => `x${salt++}`),
    0,
  );
}

test("what was encoded before changes nothing", () => {
  const name = fc.constantFrom("A", "Date", "Connection", "Content-Length", "Transfer-Encoding");
  const value = fc.constantFrom("1", "2", "close", "b\r\nc", "\x00");
  const outcome = (headers: string[]): unknown => {
    try {
      return encodeResponseFields(headers, headers.length);
    } catch (error) {
      return (error as Error).message;
    }
  };
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(name, value), { maxLength: 3 }), { maxLength: 6 }), (lists) => {
      for (const headers of lists.map((each) => each.flat())) {
        const usual = outcome(headers);
        forget(headers.length / 2);
        expect(outcome(headers)).toEqual(usual);
      }
    }),
  );
});

test("of two lengths none is sent", () => {
  const lengths = (first: string, second: string) =>
    encodeResponseFields(["Content-Length", first, "content-length", second], 4);
  expect(() => lengths("3", "11")).toThrow("more than one Content-Length");
  expect(lengths("3", "3").contentLength).toBe(3);
});

test("a list that is changed afterwards is encoded anew", () => {
  const headers = ["A", "b"];
  expect(encodeResponseFields(headers, 2).text).toBe("A: b\r\n");
  headers[1] = "c";
  expect(encodeResponseFields(headers, 2).text).toBe("A: c\r\n");
  headers[1] = "c\r\nD: e";
  expect(() => encodeResponseFields(headers, 2)).toThrow("invalid value of header A");
});
