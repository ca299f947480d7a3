import { expect, test } from "vitest";
import { RecentTexts } from "./recent-texts.ts";

test("the four newest texts are known, each once, the newest first", () => {
  const recent = new RecentTexts();
  for (const text of ["a", "b", "c", "d", "e", "c"]) {
    recent.remember({ text });
  }
  recent.remember({ text: "e", filename: "other" });
  recent.remember({ text: "x".repeat(1024 * 1024 + 1) });
  expect(recent.all).toEqual([{ text: "e", filename: "other" }, { text: "c" }, { text: "e" }, { text: "d" }]);
});
