import { describe, expect, test } from "vitest";
import { packIndexes } from "./dictionary.ts";

describe("packIndexes", () => {
  const indexes = Uint32Array.of(0, 255, 7);
  const large = Uint32Array.of(65_536, 1, 0x01020304);

  test.each([
    ["a byte up to 256 keys", indexes, 256, "00ff07"],
    ["two up to 65,536", indexes, 65_536, "0000ff000700"],
    ["four above", large, 65_537, "000001000100000004030201"],
    ["nothing for no rows", new Uint32Array(0), 1, ""],
  ])("takes %s, lowest byte first", (_name, rows, keys, hex) => {
    expect(Buffer.from(packIndexes(rows, keys)).toString("hex")).toBe(hex);
  });
});
