// Every black-box suite, each case a test, against a house of real processes.

import { afterAll, beforeAll, describe, test } from "vitest";
import { suites } from "../src/suites.ts";
import { type House, openHouse } from "./house.ts";

let house: House;

beforeAll(async () => {
  house = await openHouse();
});

afterAll(() => house?.close());

for (const suite of suites) {
  describe(suite.name, () => {
    for (const item of suite.cases) {
      test(item.name, () => item.run(house.addresses));
    }
  });
}
