import { expect, test } from "vitest";
import { askAgain } from "./measure-server.ts";

const failing = (times: number, error: Error) => {
  let left = times;
  return async () => {
    if (left-- > 0) {
      throw error;
    }
    return 7;
  };
};

test("a request whose connection is cut is sent again", async () => {
  const cut = Object.assign(new Error("cut"), { code: "ECONNRESET" });
  expect(await askAgain(1, failing(2, cut))).toBe(7);
});

test("what was refused is not", async () => {
  await expect(askAgain(1, failing(1, new Error("400")))).rejects.toThrow("400");
});
