import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(root, ".github", "workflows");
const files = readdirSync(folder);
const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");
const actionlint = join(peers, "actionlint");

const manifest = z.object({ version: z.string(), scripts: z.record(z.string(), z.string()).default({}) });
const manifestOf = (path: string) => manifest.parse(JSON.parse(readFileSync(join(root, path), "utf8")));
const workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      strategy: z
        .object({ matrix: z.object({ include: z.array(z.object({ name: z.string() })).default([]) }) })
        .optional(),
      "timeout-minutes": z.number(),
      steps: z.array(z.object({ run: z.string().optional(), uses: z.string().optional() })),
    }),
  ),
});

test.skipIf(!existsSync(actionlint))(`actionlint finds nothing (skipped without ${actionlint})`, () => {
  const { status, stdout } = spawnSync(actionlint, ["-shellcheck=", "-pyflakes="], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

describe.each(files)("%s", (file) => {
  const { jobs } = workflow.parse(parse(readFileSync(join(folder, file), "utf8")));
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("runs commands that there are", () => {
    const { scripts } = manifestOf("package.json");
    const text = steps.map(({ run }) => run ?? "").join("\n");
    for (const [, name = ""] of text.matchAll(/npm (?:run )?(start|test|(?<=run )[a-z]+)/g)) {
      expect(Object.keys(scripts)).toContain(name);
    }
    for (const [path = ""] of text.matchAll(/(?:\.ci|packages|scripts)\/[\w./-]+/g)) {
      expect(existsSync(join(root, path)), path).toBe(true);
    }
  });

  test("names the version of every action", () => {
    for (const { uses } of steps) {
      if (uses !== undefined) {
        expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
      }
    }
  });

  test("has a job for each platform that everything runs on, where it has a job for one", () => {
    for (const { strategy } of Object.values(jobs)) {
      const names = strategy?.matrix.include.map(({ name }) => name) ?? [];
      if (names.length === 0) {
        continue;
      }
      expect(names).toEqual(["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"]);
    }
  });
});
