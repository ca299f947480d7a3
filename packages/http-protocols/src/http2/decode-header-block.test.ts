import { expect, test } from "vitest";
import { decodeHeaderBlock } from "./decode-header-block.ts";
import { errorCodes } from "./frames.ts";
import { HpackDecoder } from "./hpack-decoder.ts";

test("tells fields, too many of them, and what is no header block", () => {
  const decoder = new HpackDecoder({ maxListBytes: 50 });
  expect(decodeHeaderBlock(decoder, Buffer.of(0x88))).toEqual([{ name: ":status", value: "200" }]);
  expect(decodeHeaderBlock(decoder, Buffer.of(0x88, 0x88))).toBeUndefined();
  expect(() => decodeHeaderBlock(decoder, Buffer.of(0x80))).toThrow(
    expect.objectContaining({ name: "Http2Error", code: errorCodes.compressionError }),
  );
});
