// Every black-box suite, each case a test, against a backend of real processes.

import { afterAll, beforeAll, describe, test } from "vitest";
import { type AllProcesses, openAllProcesses } from "../src/all-processes/all-processes.ts";
import { suites } from "../src/suites.ts";

let backend: AllProcesses;

beforeAll(async () => {
  backend = await openAllProcesses();
});

afterAll(() => backend?.close());

for (const suite of suites) {
  describe(suite.name, () => {
    for (const item of suite.cases) {
      test(item.name, () => item.run(backend.addresses));
    }
  });
}
