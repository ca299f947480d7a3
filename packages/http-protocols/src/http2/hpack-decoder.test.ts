import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeHeaders } from "./encode-headers.ts";
import { HpackDecoder } from "./hpack-decoder.ts";
import { HpackError } from "./hpack-error.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const pairs = (decoder: HpackDecoder, block: string) =>
  decoder.decode(hex(block)).map(({ name, value }) => `${name}: ${value}`);
const failure = (code: string) => expect.objectContaining({ code });

describe("HpackDecoder", () => {
  // RFC 7541, appendix C.2; each example uses a new connection.
  test.each([
    ["400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", "custom-key: custom-header"],
    ["040c 2f73 616d 706c 652f 7061 7468", ":path: /sample/path"],
    ["1008 7061 7373 776f 7264 0673 6563 7265 74", "password: secret"],
    ["82", ":method: GET"],
  ])("reads the field %s", (block, field) => {
    expect(pairs(new HpackDecoder({ maxListBytes: 1_000 }), block)).toEqual([field]);
  });

  // RFC 7541, appendix C.3: three requests on one connection.
  test("reads requests without Huffman coding", () => {
    const decoder = new HpackDecoder({ maxListBytes: 1_000 });
    expect(pairs(decoder, "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d")).toEqual([
      ":method: GET",
      ":scheme: http",
      ":path: /",
      ":authority: www.example.com",
    ]);
    expect(pairs(decoder, "8286 84be 5808 6e6f 2d63 6163 6865")).toEqual([
      ":method: GET",
      ":scheme: http",
      ":path: /",
      ":authority: www.example.com",
      "cache-control: no-cache",
    ]);
    expect(
      pairs(decoder, "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"),
    ).toEqual([
      ":method: GET",
      ":scheme: https",
      ":path: /index.html",
      ":authority: www.example.com",
      "custom-key: custom-value",
    ]);
  });

  // RFC 7541, appendix C.4.
  test("reads requests with Huffman coding", () => {
    const decoder = new HpackDecoder({ maxListBytes: 1_000 });
    expect(pairs(decoder, "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff").at(-1)).toBe(
      ":authority: www.example.com",
    );
    expect(pairs(decoder, "8286 84be 5886 a8eb 1064 9cbf").at(-1)).toBe("cache-control: no-cache");
    expect(pairs(decoder, "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")).toContain(
      "custom-key: custom-value",
    );
  });

  // RFC 7541, appendix C.6: responses through a table of 256 bytes, which throws old entries out.
  test("drops the oldest entries of a small table", () => {
    const decoder = new HpackDecoder({ maxListBytes: 1_000, maxTableBytes: 256 });
    expect(
      pairs(
        decoder,
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
      ),
    ).toEqual([
      ":status: 302",
      "cache-control: private",
      "date: Mon, 21 Oct 2013 20:13:21 GMT",
      "location: https://www.example.com",
    ]);
    expect(pairs(decoder, "4883 640e ffc1 c0bf")).toEqual([
      ":status: 307",
      "cache-control: private",
      "date: Mon, 21 Oct 2013 20:13:21 GMT",
      "location: https://www.example.com",
    ]);
    expect(
      pairs(
        decoder,
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
      ),
    ).toEqual([
      ":status: 200",
      "cache-control: private",
      "date: Mon, 21 Oct 2013 20:13:22 GMT",
      "location: https://www.example.com",
      "content-encoding: gzip",
      "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
    ]);
  });

  test("reads what encodeHeaders wrote", () => {
    const latin1 = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)) });
    fc.assert(
      fc.property(fc.array(fc.record({ name: latin1, value: latin1 })), (fields) => {
        expect(new HpackDecoder({ maxListBytes: 1e6 }).decode(encodeHeaders(fields))).toEqual(fields);
      }),
    );
  });

  test("takes a smaller table in front of the fields, and forgets", () => {
    const decoder = new HpackDecoder({ maxListBytes: 1_000 });
    pairs(decoder, "4001 6101 62");
    expect(pairs(decoder, "be")).toEqual(["a: b"]);
    expect(pairs(decoder, "20")).toEqual([]);
    expect(() => pairs(decoder, "be")).toThrow(failure("HPACK_MALFORMED"));
  });

  test("keeps nothing in a table without room", () => {
    const decoder = new HpackDecoder({ maxListBytes: 1_000, maxTableBytes: 0 });
    expect(pairs(decoder, "20 4001 6101 62 88")).toEqual(["a: b", ":status: 200"]);
    expect(() => pairs(decoder, "be")).toThrow(failure("HPACK_MALFORMED"));
    expect(() => pairs(decoder, "21")).toThrow(failure("HPACK_MALFORMED"));
  });

  test.each([
    ["index 0", "80", "HPACK_MALFORMED"],
    ["an index past the tables", "be", "HPACK_MALFORMED"],
    ["an integer that does not end", "ff8080808080808080", "HPACK_MALFORMED"],
    ["a cut integer", "ff80", "HPACK_TRUNCATED"],
    ["a cut name", "0005616263", "HPACK_TRUNCATED"],
    ["a length that lies", "007fffffff7f61", "HPACK_TRUNCATED"],
    ["a table over its limit", "3fe21f", "HPACK_MALFORMED"],
    ["a change of the table behind a field", "8220", "HPACK_MALFORMED"],
    ["Huffman padding of zeros", "008100 00", "HPACK_MALFORMED"],
    ["Huffman padding of eight bits", "0081ff 00", "HPACK_MALFORMED"],
    ["the end code of Huffman", "0084ffffffff 00", "HPACK_MALFORMED"],
  ])("refuses %s", (_, block, code) => {
    expect(() => new HpackDecoder({ maxListBytes: 1_000 }).decode(hex(block))).toThrow(failure(code));
  });

  test("reads a list over the limit to its end, so that its table is still right", () => {
    const decoder = new HpackDecoder({ maxListBytes: 70 });
    expect(() => pairs(decoder, "4001 6101 62 8286")).toThrow(failure("HPACK_TOO_LARGE"));
    expect(pairs(decoder, "be")).toEqual(["a: b"]);
  });

  test("throws nothing but HpackError on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          new HpackDecoder({ maxListBytes: 1_000 }).decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(HpackError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
