import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { forgetOrphanedTokens } from "./orphaned-dedup-tokens.ts";

let engine: string;

beforeEach(() => {
  engine = mkdtempSync(join(tmpdir(), "orphaned-tokens-"));
});

afterEach(() => rmSync(engine, { recursive: true, force: true }));

/** @returns a function that reads a log of the table */
function table(name: string, logs: Readonly<Record<string, string>>, parts: readonly string[]) {
  const folder = join(engine, "store", name.slice(0, 3), name);
  mkdirSync(join(folder, "deduplication_logs"), { recursive: true });
  for (const [log, text] of Object.entries(logs)) {
    writeFileSync(join(folder, "deduplication_logs", log), text);
  }
  for (const part of parts) {
    mkdirSync(join(folder, part));
  }
  return (log: string) => readFileSync(join(folder, "deduplication_logs", log), "utf8");
}

const one = "deduplication_log_1.txt";

test("takes back tokens of each table whose parts have no name yet", () => {
  const text = "1\tall_1_1_0\tall_11\n1\tall_2_2_0\tall_22\n";
  const lost = table("abc1", { [one]: text }, ["all_1_1_0", "tmp_insert_all_2_2_0"]);
  const rotated = table("abc2", { "deduplication_log_10.txt": text, "deduplication_log_11.txt": "" }, [
    "all_1_1_0",
  ]);
  expect(forgetOrphanedTokens(engine)).toBe(2);
  expect(lost(one)).toBe(`${text}2\tall_2_2_0\tall_22\n`);
  expect(rotated("deduplication_log_10.txt")).toBe(text);
  expect(rotated("deduplication_log_11.txt")).toBe("2\tall_2_2_0\tall_22\n");
  expect(forgetOrphanedTokens(engine)).toBe(0);
});

test("takes back those of any partition, whatever the folder of their insert is called", () => {
  const days = [
    "1\t20261122_3_3_0\ta",
    "1\t20261123_4_4_0\tb",
    "1\t20261123_5_5_0\tc",
    "1\t20261123_6_6_0\td",
  ];
  const text = `${days.join("\n")}\n`;
  const parts = ["20261122_1_9_2", "20261123_1_4_1_7", "20261123_6_6_0", "tmp_insert_20261123_8_8_0"];
  const lost = table("abc3", { [one]: text }, parts);
  expect(forgetOrphanedTokens(engine)).toBe(1);
  expect(lost(one)).toBe(`${text}2\t20261123_5_5_0\tc\n`);
});

test("looks at the last tokens only: earlier ones may be of parts that are long gone", () => {
  const tokens = Array.from({ length: 300 }, (_, index) => `1\tall_${index}_${index}_0\tt${index}\n`);
  table("abc4", { [one]: tokens.join("") }, ["all_44_299_3"]);
  expect(forgetOrphanedTokens(engine)).toBe(0);
});

test("leaves what is stored, merged, dropped or cut short, and tables without tokens", () => {
  const texts = [
    "1\tall_1_1_0\tall_11\n1\tall_2_2_0\tall_22\n",
    "1\tall_1_1_0\tall_11\n2\tall_1_1_0\tall_11\n",
    "1\tall_1_1_0\tall_11\n1\tall_2_",
    "",
  ];
  // A part that was not yet recorded when the process was killed.
  const parts = ["all_1_2_1", "tmp_insert_all_1_1_0", "tmp_insert_all_3_3_0"];
  const read = texts.map((text, index) => table(`def${index}`, { [one]: text }, parts));
  mkdirSync(join(engine, "store", "def", "without"));
  writeFileSync(join(engine, "store", "file"), "");
  expect(forgetOrphanedTokens(engine)).toBe(0);
  expect(read.map((log) => log(one))).toEqual(texts);
});

test("finds nothing where no engine was before", () => {
  expect(forgetOrphanedTokens(join(engine, "nothing"))).toBe(0);
});
