import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KnownTwinDifferences, renderKnownServerDifferences } from "./known-twin-differences.ts";

test("docs/known-server-differences.md says what the list says; npm run conformance -- twins --write-docs writes it", () => {
  const page = readFileSync(
    new URL("../../../../../docs/known-server-differences.md", import.meta.url),
    "utf8",
  );
  expect(page).toBe(renderKnownServerDifferences());
  for (const reason of KnownTwinDifferences.read().reasons) {
    expect(page).toContain(reason);
  }
});
