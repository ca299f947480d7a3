import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { commandNames, loadAllCommands } from "../commands/command-list.ts";
import { manPages } from "./man-pages.ts";

const pages = manPages(await loadAllCommands(), "v1.2.3");

test("there is one of the program, and one of each command", () => {
  const names = commandNames.map((name) => `server-${name.replaceAll(" ", "-")}.8`);
  expect([...pages.keys()].sort()).toEqual(["server.8", ...names].sort());
});

test("no line of text begins as a request of the formatter by chance", () => {
  const requests = /^\.(TH|SH|PP|TP)\b/;
  for (const page of pages.values()) {
    expect(page.split("\n").filter((line) => /^[.']/.test(line) && !requests.test(line))).toEqual([]);
  }
});

describe.skipIf(spawnSync("groff", ["--version"]).error !== undefined)("groff, where it is", () => {
  test.each([...pages])("takes %s without a warning", (_, page) => {
    const { status, stderr, stdout } = spawnSync("groff", ["-man", "-Tutf8", "-ww"], {
      input: page,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    // `man` writes a letter twice to make it bold.
    expect(stdout.replace(/.[\b]/gu, "")).toContain("NAME\n");
  });
});
