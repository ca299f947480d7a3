import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import MiniSearch from "minisearch";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildSite, SiteError } from "./build-site.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "docs-site-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Builds a site of these files of a repository. @returns a function that reads a file of the site */
function build(files: Readonly<Record<string, string>>, pages: readonly string[] = ["index.md"]) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const navigation = [{ title: "Start", pages }];
  const docsFolder = join(folder, "docs");
  buildSite({ docsFolder, repository: folder, navigation, madePages: [] }, join(folder, "out"));
  return (path: string) => readFileSync(join(folder, "out", path), "utf8");
}

/** Reasons to refuse a build of these files. */
function faultsOf(files: Readonly<Record<string, string>>): readonly string[] {
  try {
    build(files);
  } catch (error) {
    if (error instanceof SiteError) {
      return error.faults;
    }
    throw error;
  }
  return [];
}

test("Links between pages, to parts of them, to folders and to files of the repository work from any path", () => {
  const read = build({
    "docs/index.md":
      "# Home\n\n[a](deep/a.md#part) [all](adr/) [code](../src/x.ts) [out](https://example.com/)",
    "docs/deep/a.md": "# A\n\n## Part\n\n[home](../index.md)",
    "docs/adr/001-x.md": "# 001 – X",
    "src/x.ts": "export {};",
  });
  const home = read("index.html");
  for (const href of ["deep/a.html#part", "adr/index.html", "files/src/x.ts.txt", "https://example.com/"]) {
    expect(home).toContain(`href="${href}"`);
  }
  expect(read("deep/a.html")).toContain('<a href="../index.html">home</a>');
  expect(read("deep/a.html")).toContain('href="../assets/site.css"');
  expect(read("adr/index.html")).toContain('<a href="001-x.html">001 – X</a>');
  expect(read("files/src/x.ts.txt")).toBe("export {};");
});

test.each([
  ["a page", "[x](gone.md)", "index.md: leads to gone.html, which is not there"],
  ["a part of a page", "[x](#gone)", "index.md: leads to index.html#gone, which is not there"],
  ["a file of the repository", "[x](../gone.ts)", "index.md: leads to ../gone.ts, which is not there"],
  [
    "a file outside of it",
    "[x](../../../etc/passwd)",
    "index.md: leads to ../../../etc/passwd, which is not there",
  ],
  ["an image", "![x](gone.png)", "index.md: the image gone.png is not in docs/"],
  [
    "an image of another host",
    "![x](https://example.com/x.png)",
    "index.md: the image https://example.com/x.png is not in docs/",
  ],
])("A link to %s that is not there fails the build, and nothing is written", (_what, link, fault) => {
  expect(faultsOf({ "docs/index.md": `# Home\n\n${link}` })).toEqual([fault]);
  expect(existsSync(join(folder, "out"))).toBe(false);
});

test("A page without a title fails the build", () => {
  expect(faultsOf({ "docs/index.md": "text" })).toEqual(["index.md: has no title"]);
});

test("A page that the navigation names has to be there; one that it does not name comes last", () => {
  expect(() => build({ "docs/index.md": "# Home" }, ["index.md", "gone.md"])).toThrow(
    "the navigation names gone.md, which is not there",
  );
  const read = build({ "docs/index.md": "# Home", "docs/new.md": "# New & unnamed" });
  expect(read("index.html")).toMatch(/<summary>More<\/summary>.*<a href="new.html">New &amp; unnamed<\/a>/);
});

test("A vector image stands within the page, so that it follows its theme", () => {
  const svg = '<svg viewBox="0 0 1 1"></svg>';
  const read = build({ "docs/index.md": "# Home\n\n![a box](box.svg)", "docs/box.svg": svg });
  expect(read("index.html")).toContain(`<div class="figure" role="img" aria-label="a box">${svg}</div>`);
});

test("The search finds parts of pages by their text", () => {
  const read = build({ "docs/index.md": "# Home\n\n## Other part\n\nSomething about journals." });
  const script = read("assets/search-index.js");
  const json = JSON.parse(script.slice(script.indexOf("= ") + 2, -2)) as string;
  const index = MiniSearch.loadJSON(json, { fields: ["title", "page", "text"] });
  const [found] = index.search("journal", { prefix: true });
  expect(found).toMatchObject({ title: "Other part", page: "Home", href: "index.html#other-part" });
});
