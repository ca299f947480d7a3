import { expect, test } from "vitest";
import { shrinkList } from "./shrink-list.ts";

test("keeps only the parts that are needed, in their order", async () => {
  const parts = Array.from({ length: 40 }, (_, index) => index);
  let tries = 0;
  const rest = await shrinkList(parts, async (candidate) => {
    tries++;
    return candidate.includes(3) && candidate.includes(31);
  });
  expect(rest).toEqual([3, 31]);
  expect(tries).toBeLessThan(60);
});

test("keeps all of a list that needs all", async () => {
  expect(await shrinkList(["a", "b", "c"], async (rest) => rest.length === 3)).toEqual(["a", "b", "c"]);
});
