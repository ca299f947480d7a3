import { expect, test } from "vitest";
import { ownPage } from "./own-pages.ts";

const page = (links: string) =>
  `<!DOCTYPE html>\n<html><meta name="color-scheme" content="dark"><a href="?sort=name">x</a>${links}</html>`;

test("listings are alike when they have the same links in the same order", () => {
  const one = ownPage(page('<a href="./a&amp;b.txt">a</a> <a href="./d/">d</a>'));
  expect(one).toBe("LISTING a&b.txt d/");
  expect(ownPage(page('<td><a href="./a&#38;b.txt">a</a></td><a href="./d/">d</a>'))).toBe(one);
  expect(ownPage(page('<a href="./d/">d</a> <a href="./a&amp;b.txt">a</a>'))).not.toBe(one);
});

test("any other page is compared as it is", () => {
  expect(ownPage("<!DOCTYPE html><p>text</p>")).toBeUndefined();
  expect(ownPage("# HELP x\n")).toBe("PAGE OF METRICS");
});
