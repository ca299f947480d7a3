// Every black-box suite, each case a test, against a house of real processes.

import { afterAll, beforeAll, describe, test } from "vitest";
import { type House, openHouse } from "../src/house/house.ts";
import { suites } from "../src/suites.ts";

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
