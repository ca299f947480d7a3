import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { migrations } from "./migrations.ts";

test("what released versions made of a database is never made otherwise: a change is a migration of its own", () => {
  const digests = migrations.map(({ version, statements }) => [
    version,
    createHash("sha256").update(statements("tracing").join(";\n")).digest("hex").slice(0, 16),
  ]);
  expect(digests).toEqual([
    [1, "1c2bfad7abec3b02"],
    [2, "1852b0ea2857321e"],
    [3, "c0ba334d49d3d594"],
    [4, "b2058365a88132c1"],
    [5, "74a17e9dd83e7c02"],
    [6, "261206ef61190637"],
    [7, "94f96fcb8017e38f"],
    [8, "295818ba53a373bf"],
    [9, "cc71cd98533b6e1f"],
    [10, "9c12cfd6e5a0f746"],
    [11, "36ca7b69104c3ebb"],
    [12, "732882769e31808d"],
    [13, "a22ea9dc16c84fc0"],
    [14, "c33d3037286c8b7b"],
    [15, "4811657bbe995fbd"],
  ]);
});
