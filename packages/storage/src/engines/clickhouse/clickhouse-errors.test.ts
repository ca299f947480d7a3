import { ClickHouseError } from "@clickhouse/client";
import { describe, expect, test } from "vitest";
import { StorageError, type StorageErrorCode } from "../../api/storage-error.ts";
import { isSchemaMissing, toStorageError } from "./clickhouse-errors.ts";

const call = { url: "http://ch:8123/", timeoutMs: 1_000, aborted: false, timedOut: false, isInsert: false };
const engineError = (code: number, message = "broken") =>
  new ClickHouseError({ code: String(code), message, type: "SOME_TYPE" });

const meanings: readonly {
  readonly name: string;
  readonly code: number;
  readonly read: StorageErrorCode;
  readonly insert: StorageErrorCode;
}[] = [
  { name: "syntax error", code: 62, read: "STORAGE_REFUSED", insert: "STORAGE_UNAVAILABLE" },
  { name: "wrong password", code: 516, read: "STORAGE_REFUSED", insert: "STORAGE_UNAVAILABLE" },
  { name: "unknown table", code: 60, read: "STORAGE_REFUSED", insert: "STORAGE_UNAVAILABLE" },
  { name: "a code nobody knows", code: 4_711, read: "STORAGE_REFUSED", insert: "STORAGE_UNAVAILABLE" },
  { name: "disk cannot be written", code: 75, read: "STORAGE_REFUSED", insert: "STORAGE_UNAVAILABLE" },
  { name: "a replica went away", code: 32, read: "STORAGE_UNAVAILABLE", insert: "STORAGE_REFUSED" },
  { name: "rows end early", code: 33, read: "STORAGE_UNAVAILABLE", insert: "STORAGE_REFUSED" },
  { name: "damaged part", code: 40, read: "STORAGE_UNAVAILABLE", insert: "STORAGE_UNAVAILABLE" },
  { name: "deadline", code: 159, read: "STORAGE_TIMEOUT", insert: "STORAGE_TIMEOUT" },
  { name: "memory", code: 241, read: "STORAGE_UNAVAILABLE", insert: "STORAGE_UNAVAILABLE" },
  { name: "disk full", code: 243, read: "STORAGE_UNAVAILABLE", insert: "STORAGE_UNAVAILABLE" },
  { name: "too many parts", code: 252, read: "STORAGE_UNAVAILABLE", insert: "STORAGE_UNAVAILABLE" },
  { name: "body over the store's limit", code: 307, read: "STORAGE_REFUSED", insert: "STORAGE_REFUSED" },
  { name: "killed by somebody", code: 394, read: "STORAGE_UNAVAILABLE", insert: "STORAGE_UNAVAILABLE" },
];

describe("toStorageError", () => {
  test.each(meanings)("maps $code, $name", ({ code, read, insert }) => {
    expect(toStorageError(engineError(code), call).code).toBe(read);
    expect(toStorageError(engineError(code), { ...call, isInsert: true }).code).toBe(insert);
  });

  test("names the address, the engine's code and its text, and keeps the cause", () => {
    const cause = engineError(62, "Syntax error: failed at position 1");
    const error = toStorageError(cause, call);
    expect(error.message).toBe(
      "storage at http://ch:8123/: SOME_TYPE 62: Syntax error: failed at position 1",
    );
    expect(error.cause).toBe(cause);
  });

  test.each([159, 160])("says what to do when %i, a limit of time, is passed", (code) => {
    const [read, insert] = [call, { ...call, isInsert: true }].map((one) =>
      toStorageError(engineError(code), one),
    );
    expect(read?.message).toBe(
      `storage at http://ch:8123/: SOME_TYPE ${code}: the question takes too long: ask about a shorter time, or name a service or a tag: broken`,
    );
    expect(insert?.message).toContain(": the insert takes too long: it is tried again: broken");
  });

  test("names the limit of a query's memory before the engine's long text", () => {
    const text = `Query memory limit exceeded: while executing ${"x".repeat(10_000)}`;
    expect(toStorageError(engineError(241, text), call).message).toContain("--storage.max-query-memory");
    expect(toStorageError(engineError(241, text), { ...call, isInsert: true }).message).not.toContain(
      "--storage",
    );
    expect(toStorageError(engineError(241, "(total) memory limit exceeded"), call).message).not.toContain(
      "--storage",
    );
  });

  test("shortens a long text", () => {
    expect(toStorageError(engineError(62, "x".repeat(10_000)), call).message.length).toBeLessThan(600);
  });

  test("says that nobody answers, also when the error has a code only", () => {
    const refused = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
    const error = toStorageError(refused, call);
    expect(error.code).toBe("STORAGE_UNAVAILABLE");
    expect(error.message).toBe("storage at http://ch:8123/ cannot be reached: ECONNREFUSED");
  });

  test("tells the caller's signal from the deadline, whatever broke", () => {
    expect(toStorageError(new Error("reset"), { ...call, aborted: true, timedOut: true }).code).toBe(
      "STORAGE_ABORTED",
    );
    expect(toStorageError(new Error("reset"), { ...call, timedOut: true }).code).toBe("STORAGE_TIMEOUT");
  });

  test("leaves its own errors as they are", () => {
    const own = new StorageError("STORAGE_VERSION", "newer");
    expect(toStorageError(own, { ...call, aborted: true })).toBe(own);
  });
});

describe("isSchemaMissing", () => {
  test("knows a missing table and a missing database, and nothing else", () => {
    expect([60, 81, 62].map((code) => isSchemaMissing(toStorageError(engineError(code), call)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(isSchemaMissing(toStorageError(new Error("reset"), call))).toBe(false);
  });
});
