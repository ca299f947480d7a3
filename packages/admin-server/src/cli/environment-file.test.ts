import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadEnvironmentFiles, parseEnvironmentFile } from "./environment-file.ts";

// Values of Caddy 2.11, except the last three.
test.each<[string, Record<string, string>]>([
  ["KEY=value", { KEY: "value" }],
  ["\n  KEY=value\n\n  OTHER_KEY=Some Value \n", { KEY: "value", OTHER_KEY: "Some Value" }],
  ["Q=\"quoted value\"\r\nS='a b'", { Q: "quoted value", S: "a b" }],
  ['NEWLINES="foo\n\tbar"\nNEXT=1', { NEWLINES: "foo\n\tbar", NEXT: "1" }],
  ['ESCAPED="\\"escaped quotes\\"\nhere"', { ESCAPED: '"escaped quotes"\nhere' }],
  ["export KEY=value", { KEY: "value" }],
  ['EMPTY=\nQUOTED=""', { EMPTY: "", QUOTED: "" }],
  ["# no\n#KEY=value\nCOMMENT=foo bar  # some comment", { COMMENT: "foo bar" }],
  ['SPACE="  foo "', { SPACE: "  foo " }],
  ["URL=postgres://a:b@c/d?e=f", { URL: "postgres://a:b@c/d?e=f" }],
  ['HASH="a#b" # comment', { HASH: "a#b" }],
  ["TWICE=1\nTWICE=2", { TWICE: "2" }],
  ["EMPTY= # comment", { EMPTY: "" }],
])("%j", (text, expected) => {
  expect(Object.fromEntries(parseEnvironmentFile(text))).toEqual(expected);
});

test.each([
  ["A=1\nINVALID KEY=x", 'line 2: "INVALID KEY" is no name of a variable'],
  ["=value", 'line 1: "" is no name'],
  ["A=1\n\nword", "line 3 is not of the form KEY=VALUE"],
  ["A=   foo", "line 1: blanks stand before the value of A"],
  ['A=1\nB="x\ny', "line 2: the quote that opens the value of B is never closed"],
  ['A="x\ny" z\n', "line 1: something follows the quoted value of A"],
])("%j is refused", (text, message) => {
  expect(() => parseEnvironmentFile(text)).toThrow(message);
});

test("variables that are set stay, and of two files the first counts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "environment-file-"));
  const [first, second] = [join(folder, "a.env"), join(folder, "b.env")];
  await writeFile(first, "TRIED_SET=file\nTRIED_NEW=first");
  await writeFile(second, "TRIED_NEW=second");
  process.env.TRIED_SET = "before";
  try {
    await loadEnvironmentFiles([first, second]);
    expect([process.env.TRIED_SET, process.env.TRIED_NEW]).toEqual(["before", "first"]);
    await expect(loadEnvironmentFiles([join(folder, "none")])).rejects.toThrow(/--envfile .*none: ENOENT/);
  } finally {
    delete process.env.TRIED_SET;
    delete process.env.TRIED_NEW;
    await rm(folder, { recursive: true });
  }
});
