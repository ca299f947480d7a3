// Runs every shell example of the documentation unchanged, and compares its output with the page. Words after
// the language of a fence define how. `title="site.json"` is a file for the next examples. `terminal` runs
// during the following blocks, and `terminals` does so with each of its commands. An output that `varies` has
// other figures and ids in another run.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeBlocks, repository } from "./code-blocks.ts";
import { notRun, runElsewhere } from "./not-run.ts";
import { ownNetwork } from "./own-network.ts";
import { runSession } from "./run-session.ts";
import { sessions, stepsOf } from "./sessions.ts";
import { differenceOf } from "./shown-output.ts";

const shell = codeBlocks.filter(({ language }) => language === "sh");

test("Every block of shell is run, or listed with the reason why not", () => {
  const pages = new Set(sessions.flatMap((session) => session.pages));
  const isListed = (page: string, code: string) =>
    notRun.some(({ page: of, block }) => of === page && block !== undefined && code.startsWith(block));
  expect(
    shell
      .filter(({ page }) => !Object.keys(runElsewhere).some((folder) => page.startsWith(folder)))
      .filter(({ page, code }) => !pages.has(page) && !isListed(page, code))
      .map(({ name }) => name),
  ).toEqual([]);
  for (const path of Object.values(runElsewhere)) {
    expect(existsSync(join(repository, path)), path).toBe(true);
  }
});

test.each(notRun)("What is not run is there: $page, $block$command", ({ page, block, command }) => {
  const blocks = shell.filter((each) => each.page === page);
  const found = blocks.filter(({ code }) =>
    block === undefined
      ? code.split("\n").some((line) => line.startsWith(command ?? "\0"))
      : code.startsWith(block),
  );
  expect(found.length).toBeGreaterThan(0);
});

/** Lines of a program's log, which some pages show within the output. */
const logLine = /^\[\d\d:\d\d:\d\d\.\d+\] [A-Z]+: .*\n?/gm;

describe.skipIf(ownNetwork === undefined).each(sessions)("$name (needs unshare and ip)", (session) => {
  // Pages are run when the first of their tests needs the result.
  let running: ReturnType<typeof runSession> | undefined;
  const results = () => {
    running ??= runSession(session, ownNetwork ?? []);
    return running;
  };
  const rows = session.pages.flatMap((page) =>
    stepsOf(page).map((step, index) => [step.block.name, { ...step, page, index }] as const),
  );

  test.for(rows)("%s", { timeout: 960_000 }, async ([, { block, page, index, lacks }], { skip }) => {
    if (lacks !== undefined) {
      skip(`${lacks} is not on this machine`);
    }
    const result = (await results()).get(page)?.blocks[index];
    if (result === undefined) {
      throw new Error("an example before it failed");
    }
    if (!result.isDone) {
      throw new Error(`a command of it failed:\n${result.stdout}\n${result.stderr}`);
    }
    if (block.output !== undefined && !block.words.includes("terminal")) {
      const { code, words } = block.output;
      const shown = code.replace(logLine, "");
      expect(differenceOf(shown, result.stdout, words.includes("varies"))).toBeUndefined();
    }
  });

  // A page that starts a program shows a program that keeps running.
  test("Programs in terminals of their own run until the page ends", async () => {
    const ended = [...(await results())].flatMap(([page, { terminals }]) =>
      terminals.filter(({ state }) => state !== "running").map((terminal) => ({ page, ...terminal })),
    );
    expect(ended).toEqual([]);
  }, 960_000);
});
