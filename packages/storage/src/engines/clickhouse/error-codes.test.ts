import { expect, test } from "vitest";
import { errorCodes } from "./error-codes.ts";
import { runSql, startTestServer } from "./test-server.ts";

test("each number is the engine's number of that name", async () => {
  const server = await startTestServer();
  const numbers = Object.values(errorCodes).join(", ");
  const sql = `SELECT arrayStringConcat(arrayMap(code -> errorCodeToName(toUInt32(code)), [${numbers}]), ',')`;
  const names = (await runSql(server.url, sql)).trim().split(",");
  await server.stop();
  expect(names).toEqual(Object.keys(errorCodes));
});
