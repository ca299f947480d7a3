import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { diskRoomText } from "./disk-room.mjs";

test.each([
  [58_000_000, "The disk of /a has only 58 MB left"],
  [2_000_000_000, ""],
])("%i bytes left", (free, begin) => {
  expect(diskRoomText("/a", free).slice(0, begin.length || undefined)).toBe(begin);
});

test("a real disk is asked, and a folder that is not there gives no reason", () => {
  expect(diskRoomText(tmpdir())).toMatch(/^$|^The disk of /);
  expect(diskRoomText("/not-there")).toBe("");
});
