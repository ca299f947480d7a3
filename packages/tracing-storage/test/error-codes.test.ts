import { expect, test } from "vitest";
import { engineErrorCodes } from "../src/engine-error.ts";
import { ask, shareStorage } from "./running-storage.ts";

const storage = shareStorage();

test("each number is the engine's number of that name", async () => {
  const numbers = Object.values(engineErrorCodes).join(", ");
  const sql = `SELECT arrayStringConcat(arrayMap(code -> errorCodeToName(toUInt32(code)), [${numbers}]), ',')`;
  expect((await ask(storage.url, sql)).trim().split(",")).toEqual(Object.keys(engineErrorCodes));
});
