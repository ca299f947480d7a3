import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DamagedPart, SetAsideParts } from "./set-aside-parts.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "set-aside-"));
});
afterAll(() => rm(folder, { recursive: true }));

const part: DamagedPart = {
  database: "tracing",
  table: "spans",
  part: "20261126_5_5_0",
  rows: 20,
  bytes: 100,
  writtenUnixMs: 0,
  firstDay: "2026-11-26",
  lastDay: "2026-11-26",
  startUnixMs: Date.parse("2026-11-26T03:00:00Z"),
  endUnixMs: Date.parse("2026-11-26T03:05:10Z"),
};
const detached = (name: string, table = "spans") => ({
  database: "tracing",
  table,
  name,
  path: join(folder, table, name),
});

test("statements that read the table of a part are told, over a restart too, until the part is back", async () => {
  const file = join(folder, "one.json");
  const parts = new SetAsideParts(file);
  expect(parts.missingFrom(() => expect.unreachable("nothing is set aside"))).toEqual([]);
  await parts.note(part);
  const told = {
    kind: "part-damaged",
    name: "tracing.spans 20261126_5_5_0",
    text: "part 20261126_5_5_0 of tracing.spans is damaged and set aside: 20 rows from 2026-11-26 03:00:00 to 2026-11-26 03:05:10 UTC are missing from answers",
    startUnixMs: part.startUnixMs,
    endUnixMs: part.endUnixMs,
  };
  for (const sql of ["SELECT * FROM tracing.spans", "SELECT `spans`.name FROM tracing.`spans`"]) {
    expect(parts.missingFrom(() => sql)).toEqual([told]);
  }
  for (const sql of [
    "SELECT * FROM tracing.archived_spans",
    "SELECT 1 FROM system.tables WHERE name = 'spans'",
  ]) {
    expect(parts.missingFrom(() => sql)).toEqual([]);
  }
  const again = new SetAsideParts(file);
  expect(await again.compare([detached("20261126_5_5_0")])).toEqual([]);
  expect(again.missingFrom(() => "FROM tracing.spans")).toEqual([told]);
  expect(await again.compare([])).toEqual([]);
  expect(again.missingFrom(() => "FROM tracing.spans")).toEqual([]);
});

test("a part that the engine has set aside itself is known by its folder", async () => {
  const own = detached("broken-on-start_20261126_1_4_1", "span_metrics");
  await mkdir(own.path, { recursive: true });
  await writeFile(join(own.path, "count.txt"), "7");
  const parts = new SetAsideParts(join(folder, "two.json"));
  const whole = detached("broken-on-start_all_1_1_0", "operations");
  expect(await parts.compare([own, whole])).toMatchObject([
    { part: "20261126_1_4_1", rows: 7, firstDay: "2026-11-26" },
    { part: "all_1_1_0", rows: 0, firstDay: "" },
  ]);
  const [told] = parts.missingFrom(() => "FROM tracing.span_metrics");
  expect(told).toMatchObject({
    text: expect.stringContaining("7 rows received from 2026-11-26 to 2026-11-26 are missing"),
    // The range has one more day on each side, because spans may be received on another day than the day of their
    // start.
    startUnixMs: Date.parse("2026-11-25"),
    endUnixMs: Date.parse("2026-11-28"),
  });
  expect(parts.missingFrom(() => "FROM tracing.operations")).toEqual([
    {
      kind: "part-damaged",
      name: "tracing.operations all_1_1_0",
      text: expect.stringContaining("its rows are missing"),
    },
  ]);
});

test("answers name a part for 30 days after its drop, over a restart too", async () => {
  const file = join(folder, "dropped.json");
  const parts = new SetAsideParts(file);
  await parts.note(part);
  const own = detached("20261126_5_5_0");
  expect(await parts.isOwn(own)).toBe(true);
  expect(await parts.lastDayOf(own)).toBe("2026-11-26");
  const dropped = Date.parse("2026-12-26T00:00:00Z");
  await parts.noteDropped(own, dropped);
  const again = new SetAsideParts(file);
  expect(await again.compare([], dropped + 29 * 86_400_000)).toEqual([]);
  expect(again.length).toBe(0);
  expect(again.missingFrom(() => "FROM tracing.spans")).toMatchObject([
    { text: expect.stringContaining("is damaged and dropped: 20 rows from 2026-11-26 03:00:00") },
  ]);
  await again.compare([], dropped + 31 * 86_400_000);
  expect(again.missingFrom(() => "FROM tracing.spans")).toEqual([]);
});

test.each([
  ["20261126_9_9_0", false, "people detached it"],
  ["broken-on-start_20261126_9_9_0", true, "the engine could not load it"],
  ["ignored_20261126_9_9_0", true, "a leftover of the engine"],
])("%s: own is %j, as %s", async (name, isOwn) => {
  const parts = new SetAsideParts(join(folder, "own.json"));
  await parts.compare([detached(name)]);
  expect(await parts.isOwn(detached(name))).toBe(isOwn);
});

test("more than twenty are one reason for each table, and a damaged file of notes is none", async () => {
  const file = join(folder, "three.json");
  await writeFile(file, '[{"database":"tracing","table":1},{"');
  const parts = new SetAsideParts(file);
  for (let index = 0; index < 21; index++) {
    await parts.note({ ...part, part: `20261126_${index}_${index}_0`, startUnixMs: 1_000 * index });
  }
  expect(parts.length).toBe(21);
  expect(parts.missingFrom(() => "FROM tracing.spans")).toEqual([
    {
      kind: "part-damaged",
      name: "tracing.spans",
      text: "21 parts of tracing.spans are damaged: what they hold is missing from answers",
      startUnixMs: 0,
      endUnixMs: part.endUnixMs,
    },
  ]);
});
