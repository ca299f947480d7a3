import { describe, expect, test } from "vitest";
import { findAdminModel } from "../admin-api/comparison/find-admin-model.ts";
import { compareServerfiles } from "./compare-serverfiles.ts";
import { generateServerfile } from "./generate-serverfile.ts";
import { RandomSource } from "./random-source.ts";

test("a text is the same for its seed, and others for other seeds", () => {
  const texts = [1, 2, 3].map((seed) => generateServerfile(new RandomSource(seed)));
  expect(new Set(texts).size).toBe(3);
  expect(generateServerfile(new RandomSource(2))).toBe(texts[1]);
  expect(texts.join("")).not.toMatch(/<\w+[?*+]?>/);
});

const program = findAdminModel();

describe.skipIf(program === undefined)("the public model, where it is", () => {
  test("makes the same of generated texts", { timeout: 180_000 }, async () => {
    const { equal, differences } = await compareServerfiles(program ?? "", 100, 1);
    expect(differences).toEqual([]);
    expect(equal).toBeGreaterThan(20);
  });
});
