// Checks examples of the documentation without running them: they can be parsed, and the things that they name exist.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { printedBy } from "../../src/reference/programs.ts";
import { blocksOf, codeBlocks, pages, repository } from "./code-blocks.ts";

const scripts = Object.keys(
  (JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: Record<string, string> })
    .scripts,
);

describe("JSON", () => {
  test.each(blocksOf("json"))("%s", (_name, { code }) => {
    // A block is one value, or a value on each line. An ellipsis marks omitted parts.
    const text = code.replace(/,?\s*…,?/g, "");
    const asWhole = () => JSON.parse(text) as unknown;
    const byLine = () => text.split(/\n(?=[[{])/).map((line) => JSON.parse(line) as unknown);
    expect(() => {
      try {
        asWhole();
      } catch {
        byLine();
      }
    }).not.toThrow();
  });
});

describe("YAML", () => {
  test.each(blocksOf("yaml"))("%s", (_name, { code }) => {
    expect(parseAllDocuments(code).flatMap(({ errors }) => errors.map(({ message }) => message))).toEqual([]);
  });
});

describe("Shell", () => {
  test("bash can read every block", () => {
    for (const [name, { code }] of blocksOf("sh")) {
      const { stderr, status } = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" });
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: "" });
    }
  });

  test.each(blocksOf("sh"))("%s: names scripts and files that are there", (_name, { code }) => {
    for (const [, script = ""] of code.matchAll(/\b(?:npm|pnpm) run ([\w:-]+)/g)) {
      expect(scripts).toContain(script);
    }
    for (const [path] of code.matchAll(/(?<![\w./])(?:packages|deploy|docker|examples)\/[\w./-]+\w/g)) {
      const isBuilt = /\/(dist|node_modules)(\/|$)/.test(path);
      expect(isBuilt || existsSync(join(repository, path)), path).toBe(true);
    }
  });
});

/** Options with a dot that pages name although no process has them, and the reason. */
const othersOptions: Readonly<Record<string, RegExp>> = {
  // The second one is an option of the command `import-jaeger`.
  "migration-jaeger.md": /^(memory\.max-traces|jaeger\.tls|es\.server-urls|processor\.jaeger-.*)$/,
  // The page starts a Prometheus.
  "query.md": /^(config\.file|web\.enable-remote-write-receiver)$/,
  // The page shows this option as a mistake.
  "processes.md": /^collector\.journal\.max-byte$/,
  "processes/tracing-agent.md": /^processor\.jaeger-/,
};

describe("Options", () => {
  const known = new Set<string>();

  beforeAll(async () => {
    for (const name of ["tracing-agent", "tracing-collector", "tracing-query", "tracing-storage"]) {
      for (const [, option = ""] of (await printedBy(name, ["--help"])).matchAll(
        /--([a-z0-9][a-z0-9.-]+)/g,
      )) {
        known.add(option);
      }
    }
  }, 240_000);

  test.each(pages.map(({ path, markdown }) => [path, markdown] as const))(
    "%s names those that are there",
    (path, markdown) => {
      const named = [...markdown.matchAll(/(?<![\w-])--([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?![\w-])/g)].map(
        ([, option = ""]) => option,
      );
      // `--query.http.tls.…` and `--query.max-…` name groups of options.
      const isGroup = (name: string) =>
        known.values().some((option) => option.startsWith(name.endsWith("-") ? name : `${name}.`));
      const unknown = named.filter(
        (name) => !known.has(name) && !isGroup(name) && othersOptions[path]?.test(name) !== true,
      );
      expect([...new Set(unknown)]).toEqual([]);
    },
  );
});

test("Nothing of the list of others' options is left over", () => {
  for (const [path, pattern] of Object.entries(othersOptions)) {
    const page = pages.find((each) => each.path === path);
    const named = [...(page?.markdown ?? "").matchAll(/--([a-z0-9.-]+)/g)].map(([, option = ""]) => option);
    expect(
      named.some((option) => pattern.test(option)),
      path,
    ).toBe(true);
  }
  expect(codeBlocks.length).toBeGreaterThan(100);
});
