import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeaderBlock, encodeHeaderBlock } from "./header-block.ts";
import { HpackError } from "./hpack-error.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("decodeHeaderBlock", () => {
  it.each([
    // RFC 7541, C.2.1 to C.2.4, C.4.1 and C.6.1: each is the first block of its connection.
    ["400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", { "custom-key": "custom-header" }],
    ["040c 2f73 616d 706c 652f 7061 7468", { ":path": "/sample/path" }],
    ["1008 7061 7373 776f 7264 0673 6563 7265 74", { password: "secret" }],
    ["82", { ":method": "GET" }],
    [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      { ":method": "GET", ":scheme": "http", ":path": "/", ":authority": "www.example.com" },
    ],
    [
      "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
      {
        ":status": "302",
        "cache-control": "private",
        date: "Mon, 21 Oct 2013 20:13:21 GMT",
        location: "https://www.example.com",
      },
    ],
    ["20 88", { ":status": "200" }],
  ])("reads %s", (block, headers) => {
    expect(Object.fromEntries(decodeHeaderBlock(hex(block)))).toEqual(headers);
  });

  it.each([
    ["80", "header 0, which is in no table"],
    ["be", "header 62, which is in no table"],
    ["3fe11f", "a table larger than allowed"],
    ["0005 61", "a string past the end of its block"],
    ["00", "a block that ends early"],
    ["ff ff ff ff ff ff 01", "a number that is too long"],
    ["00 81 ff 01 61", "Huffman padding that is none"],
    ["00 84 ff ff ff ff 01 61", "a Huffman code that is none"],
  ])("refuses %s", (block, message) => {
    expect(() => decodeHeaderBlock(hex(block))).toThrow(new HpackError(message));
  });

  it("reads what it writes, whatever the length", () => {
    const text = fc.stringMatching(/^[\x20-\xff]{0,400}$/);
    const name = fc.stringMatching(/^[a-z0-9-]{1,40}$/);
    fc.assert(
      fc.property(fc.dictionary(name, text), (headers) => {
        const block = encodeHeaderBlock(Object.entries(headers));
        expect(Object.fromEntries(decodeHeaderBlock(block))).toEqual({ ...headers });
      }),
    );
  });

  it("reads any bytes, or refuses them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          decodeHeaderBlock(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(HpackError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

it("writes headers that Node's HTTP/2 reads", async () => {
  const server = http2.createServer((request, response) => response.end(String(request.headers["x-long"])));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { Http2Connection } = await import("./http2-connection.ts");
  const { connect } = await import("node:net");
  const long = "ä".repeat(20_000);
  try {
    const body = await new Promise<string>((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => {
        const connection = new Http2Connection(socket, {
          onReady: () =>
            connection.request(
              encodeHeaderBlock([
                [":method", "POST"],
                [":scheme", "http"],
                [":path", "/"],
                [":authority", "test"],
                ["x-long", long],
              ]),
              Buffer.from("body"),
              (outcome) => {
                "body" in outcome
                  ? resolve(outcome.body.toString("latin1"))
                  : reject(new Error(outcome.message));
                connection.close();
              },
            ),
          onGoingAway() {},
          onEnd() {},
        });
      });
    });
    expect(body.length).toBeGreaterThanOrEqual(20_000);
  } finally {
    server.close();
  }
});
