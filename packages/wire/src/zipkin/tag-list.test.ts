import fc from "fast-check";
import { expect, test } from "vitest";
import { TagList } from "./tag-list.ts";

/** The result must equal the result of a Map, for both ways in which the list searches keys. */
test("keeps the first place and the last value of a key", () => {
  const keys = fc.array(fc.string({ maxLength: 2 }), { maxLength: 200, size: "max" });
  const tags = new TagList();
  fc.assert(
    fc.property(keys, (sent) => {
      tags.clear();
      const bytes = Buffer.from(sent.join(""));
      tags.bytes = bytes;
      let at = 0;
      const expected = new Map<string, number>();
      for (const [index, key] of sent.entries()) {
        const end = at + Buffer.byteLength(key);
        tags.add(at, end, index, index + 1);
        expected.set(key, index);
        at = end;
      }
      const found = Array.from({ length: tags.count }, (_, tag) => {
        const [keyStart, keyEnd, value] = tags.offsets.subarray(tag * 4);
        return [bytes.toString("utf8", keyStart, keyEnd), value];
      });
      expect(found).toEqual([...expected]);
    }),
  );
});

test("takes a hundred thousand tags of one span in little time", () => {
  const tags = new TagList();
  const bytes = Buffer.from(
    Array.from({ length: 100_000 }, (_, index) => String(index).padStart(6, "0")).join(""),
  );
  tags.bytes = bytes;
  for (let index = 0; index < 100_000; index++) {
    tags.add(index * 6, index * 6 + 6, 0, 0);
  }
  expect(tags.count).toBe(100_000);
});
