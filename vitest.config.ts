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
    globalSetup: "scripts/one-temporary-folder.ts",
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
