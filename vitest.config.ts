import { configDefaults, defineConfig } from "vitest/config";
import { LongestFilesFirst } from "./scripts/longest-files-first.ts";

/** Each in a process of its own: those with processes of the product, and those that look at the heap of their own. */
const alone = ["**/*.e2e.test.ts", "**/admin/debug/debug-routes.test.ts", "**/openapi/openapi-route.test.ts"];

export default defineConfig({
  test: {
    globalSetup: ["scripts/one-temporary-folder.ts", "scripts/compile-cache.ts"],
    setupFiles: ["scripts/watch-processes.ts"],
    // A limit for what hangs, not for what is slow: machines of tests are often busy with something else.
    // More fuzz rounds, as CONTRIBUTING.md says, take longer.
    testTimeout: 180_000 + 2 * Number(process.env.FUZZ_ROUNDS ?? 0),
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    sequence: { sequencer: LongestFilesFirst },
    // One more than the cores of a small machine: tests of processes wait for a third of their time.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          // Real processes, sockets and browsers. They are the longest, so they come first.
          name: "processes",
          include: [...alone.map((pattern) => `packages/${pattern}`), "packages/*/test/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          // Unit and contract tests beside the code. Files of one worker share its modules: a quarter of the processor time less.
          name: "units",
          include: [
            "packages/*/src/**/*.test.{ts,tsx}",
            "examples/*/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...alone],
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
        },
      },
    ],
  },
});
