import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // *.test.ts: unit and contract tests beside the code; *.e2e.test.ts: real processes, sockets and browsers.
    include: [
      "packages/*/src/**/*.test.{ts,tsx}",
      "packages/*/test/**/*.test.ts",
      "examples/*/src/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    globalSetup: ["scripts/one-temporary-folder.ts", "scripts/compile-cache.ts"],
    // More fuzz rounds, as CONTRIBUTING.md says, take longer.
    testTimeout: 20_000 + 2 * Number(process.env.FUZZ_ROUNDS ?? 0),
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
