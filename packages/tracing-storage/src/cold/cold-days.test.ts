import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics } from "lifecycle";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EngineStatement } from "../engine/engine.ts";
import { engineError } from "../engine-error.ts";
import { ColdDays } from "./cold-days.ts";
import { KeptParts } from "./kept-parts.ts";

const tableUuid = "abc00000-0000-0000-0000-000000000000";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cold-days-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An engine with one old part, whose moves end as `move` says. */
function coldDays(move: () => void) {
  const statements: string[] = [];
  const part = { database: "tracing", table: "spans", tableUuid, part: "20261101_1_1_0", day: "2026-11-01" };
  const engine = {
    async run({ sql }: EngineStatement) {
      statements.push(sql);
      if (sql.startsWith("ALTER")) {
        move();
      }
      const text = sql.includes("system.tables") ? JSON.stringify({ ...part, bytes: 7, rows: 1 }) : "0";
      return { bytes: Buffer.from(text), elapsed: 0, rowsRead: 0, bytesRead: 0 };
    },
  };
  const hot = join(folder, "engine", "store", "abc", tableUuid, part.part);
  mkdirSync(hot, { recursive: true });
  writeFileSync(join(hot, "data.bin"), "rows");
  const metrics = createMetrics("tracing-storage");
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const days = new ColdDays(
    { engine, kept: new KeptParts(folder, join(folder, "engine")), log, metrics },
    { afterMs: 0, maxLocalBytes: 0, databases: ["tracing"], tables: ["spans"], intervalMs: 1_000_000 },
  );
  const metric = async (name: string) =>
    new RegExp(`^tracing_storage_cold_${name} (\\S+)$`, "m").exec(await metrics.metrics())?.[1];
  return { days, metric, statements };
}

test.each([
  ["succeeds", () => {}, { moved_parts_total: "1", failures_total: "0", failing: "0" }],
  [
    "fails",
    () => {
      throw engineError("NOT_ENOUGH_SPACE", "the bucket is away");
    },
    { moved_parts_total: "0", failures_total: "1", failing: "1" },
  ],
])("a move that %s is counted, and leaves no second names of files", async (_, move, expected) => {
  const { days, metric, statements } = coldDays(move);
  days.start();
  await vi.waitFor(async () => {
    expect(statements.join("\n")).toContain("MOVE PART '20261101_1_1_0' TO VOLUME 'cold'");
    for (const [name, value] of Object.entries(expected)) {
      expect([name, await metric(name)]).toEqual([name, value]);
    }
  });
  await days.close();
  expect(readdirSync(join(folder, "moving-parts", tableUuid))).toEqual([]);
});
