import { afterEach, expect, test, vi } from "vitest";
import { testedProgram } from "./tested-program.ts";

afterEach(() => vi.unstubAllEnvs());

test("the source where nobody says that programs were built, else what was built of it", () => {
  vi.stubEnv("TEST_BUILT_PROGRAMS", undefined);
  expect(testedProgram("/a/tracing-query/bin/tracing-query.ts")).toBe(
    "/a/tracing-query/bin/tracing-query.ts",
  );
  vi.stubEnv("TEST_BUILT_PROGRAMS", "1");
  expect(testedProgram("/a/tracing-query/bin/tracing-query.ts")).toBe(
    "/a/tracing-query/dist/tracing-query.cjs",
  );
  expect(testedProgram("C:\\a\\bin\\server.ts")).toBe("C:\\a\\dist\\server.cjs");
});
