import { expect, test } from "vitest";
import { standardModules } from "./standard.ts";

test("the list says of each module what the module says of itself", () => {
  expect(
    standardModules.map(({ id, inWorkers = false, implied = false }) => ({ id, inWorkers, implied })),
  ).toEqual(
    standardModules
      .map(({ load }) => load())
      .map(({ id, inWorkers, implied }) => ({ id, inWorkers, implied })),
  );
});
