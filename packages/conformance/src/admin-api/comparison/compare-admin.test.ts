import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { judge } from "../../tracing-api/comparison/known-differences.ts";
import { adminQuestions } from "./admin-questions.ts";
import { compareAdmin } from "./compare-admin.ts";
import { findAdminModel } from "./find-admin-model.ts";
import { readKnownAdminDifferences, renderKnownAdminDifferences } from "./known-admin-differences.ts";

const program = findAdminModel();

test("each request has a name of its own", () => {
  const names = adminQuestions.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("docs/known-admin-differences.md says what the list says; npm run conformance -- admin --write-docs writes it", () => {
  const docs = readFileSync(
    new URL("../../../../../docs/known-admin-differences.md", import.meta.url),
    "utf8",
  );
  expect(docs).toBe(renderKnownAdminDifferences(readKnownAdminDifferences()));
});

test.skipIf(program === undefined)(
  "ours differs from the public model (caddy, if it is here) as is known",
  async () => {
    const { differences } = await compareAdmin(program ?? "");
    const { unknown, stale } = judge(differences, readKnownAdminDifferences());
    expect({ unknown, stale }).toEqual({ unknown: [], stale: [] });
  },
  120_000,
);
