import { expect, test } from "vitest";
import { readChecked, withChecksum } from "./text-checksum.ts";

const text = Buffer.from('{"apps":{"http":{"servers":{"a":{"listen":[":8080"]}}}},"ü":"\\n  "}');

test("the file is JSON of the same meaning, and its text is read back", () => {
  const file = withChecksum(text);
  expect(JSON.parse(new TextDecoder().decode(file))).toEqual(JSON.parse(text.toString()));
  expect(readChecked(file)).toEqual({ text: new Uint8Array(text), checksum: "right" });
  expect(readChecked(withChecksum(Buffer.alloc(0)))).toEqual({ text: new Uint8Array(), checksum: "right" });
});

test("a bit that flips anywhere is noticed: the checksum is wrong, or the file is no JSON", () => {
  const file = withChecksum(text);
  for (let at = 0; at < file.length * 8; at++) {
    const bad = Uint8Array.from(file);
    bad[at >> 3] = (bad[at >> 3] as number) ^ (1 << (at & 7));
    const { checksum } = readChecked(bad);
    const isJson = () => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bad));
    if (checksum !== "wrong") {
      expect(checksum, `bit ${at}`).toBe("none");
      expect(isJson, `bit ${at}`).toThrow();
    }
  }
});

test.each(["{}", "", '{"of":"an older server"}\n', `${"x".repeat(20)}\n${" ".repeat(31)}x`, "\n\t \t"])(
  "%j has no checksum and is taken as it is",
  (plain) => {
    expect(readChecked(Buffer.from(plain))).toEqual({ text: Buffer.from(plain), checksum: "none" });
  },
);
