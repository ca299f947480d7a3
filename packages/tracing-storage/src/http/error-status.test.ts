import { expect, test } from "vitest";
import { EngineError, engineError, toEngineError } from "../engine-error.ts";
import { errorStatus } from "./error-status.ts";

test.each([
  ["Code: 60. DB::Exception: Table d.t does not exist. (UNKNOWN_TABLE)", 404],
  ["Code: 62. DB::Exception: Syntax error (UNKNOWN_TABLE): x. (SYNTAX_ERROR)", 400],
  ["Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)", 500],
  [
    "Code: 75. DB::Exception: write: errno: 28, No space left on device. (CANNOT_WRITE_TO_FILE_DESCRIPTOR)",
    503,
  ],
  ["Code: 202. DB::Exception: Too many. (TOO_MANY_SIMULTANEOUS_QUERIES)", 503],
  ["without a name", 500],
])("%s is %d", (message, status) => {
  expect(errorStatus(toEngineError(new Error(message)))).toBe(status);
});

test("an error of one of the engine's threads is unwrapped", () => {
  const error = toEngineError(
    new Error(
      "Code: 27. DB::Exception: Code: 27. DB::Exception: Cannot parse: (at row 2)\n. (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 26.7.2.1)",
    ),
  );
  expect([error.code, error.message]).toEqual([
    27,
    "Code: 27. DB::Exception: Cannot parse: (at row 2)\n. (CANNOT_PARSE_INPUT_ASSERTION_FAILED)",
  ]);
});

test("a full disk is named as such, everything else without a code is 1002", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(toEngineError(full).code).toBe(243);
  expect(errorStatus(toEngineError(full))).toBe(503);
  expect(toEngineError("what?")).toMatchObject({ code: 1002 });
  const known = engineError("ABORTED", "stopping");
  expect(toEngineError(known)).toBe(known);
  expect(known).toBeInstanceOf(EngineError);
});
