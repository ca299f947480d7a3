import { expect, test } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { PointReader } from "./point-reader.ts";
import { pointQuestionOf } from "./point-request.ts";

const id = `'${"\\x1a".repeat(16)}'`;
const sql =
  `SELECT name FROM d.spans PREWHERE trace_id = ${id} WHERE tenant = {tenant:String} AND ` +
  `indexHint((received, toStartOfMinute(start)) IN (SELECT received, minute FROM d.minutes WHERE trace_id = ${id})) ` +
  "SETTINGS max_threads = 1 FORMAT RowBinary";
const request = {
  database: "",
  settings: new Map(),
  parameters: new Map([["tenant", ""]]),
  reader: false,
};
const thread = {
  read: () => Promise.reject(new Error("the thread is not asked")),
  forget: () => {},
};

test.each([
  ["does not answer", () => Promise.reject(new Error("Code: 241."))],
  ["says what is not understood", () => Promise.resolve({ bytes: Buffer.from('{"uuid":1}') })],
  ["knows no such table", () => Promise.resolve({ bytes: Buffer.alloc(0) })],
])("where the engine %s of a table, it is asked for the rows", async (_case, run) => {
  const engine = { run, folder: { enginePath: "/nowhere" }, tablesVersion: 1 } as unknown as Engine;
  const question = pointQuestionOf(sql, request, 0);
  if (question === undefined) {
    throw new Error("the statement is not known");
  }
  const reader = new PointReader(engine, thread, { maxQuerySeconds: 0, maxResultBytes: 0 });
  expect(await reader.read(question)).toBeUndefined();
});
