import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../../../../tracing-storage/bin/tracing-storage.ts", import.meta.url));

test("what released versions have made of a database is still how a new one begins", () => {
  const recorded = readFileSync(new URL("schemas-before.sql", import.meta.url), "utf8");
  const now = execFileSync(process.execPath, [program, "schema"], { encoding: "utf8" });
  expect(now.slice(0, recorded.trimEnd().length)).toBe(recorded.trimEnd());
}, 180_000);
