import { expect, test } from "vitest";
import { PartialReasons } from "./partial-answer.ts";

test("collects each reason once, and has none for a whole answer", () => {
  const reasons = new PartialReasons();
  expect(reasons.partial).toBeUndefined();
  const { add } = reasons;
  add({ kind: "shard-away", name: "2", text: "no server of shard 2 answers: http://c" });
  add({ kind: "part-damaged", name: "2", text: "parts of table 2 are damaged" });
  add({ kind: "shard-away", name: "2", text: "no server of shard 2 answers: http://c, http://d" });
  expect(reasons.partial).toEqual({
    reasons: [
      { kind: "shard-away", name: "2", text: "no server of shard 2 answers: http://c, http://d" },
      { kind: "part-damaged", name: "2", text: "parts of table 2 are damaged" },
    ],
  });
});
