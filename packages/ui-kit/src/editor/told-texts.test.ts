import { expect, test } from "vitest";
import { ToldTexts } from "./told-texts.ts";

test("an older text that comes back while the next is typed is no news", () => {
  const told = new ToldTexts();
  told.tell("a");
  told.tell("ab");
  expect(told.isNews("a")).toBe(false);
  told.tell("abc");
  expect(told.isNews("ab")).toBe(false);
  expect(told.isNews("abc")).toBe(false);
});

test("the owner may leave texts out", () => {
  const told = new ToldTexts();
  told.tell("a");
  told.tell("ab");
  expect(told.isNews("ab")).toBe(false);
  expect(told.isNews("a")).toBe(true);
});

test("another text is news, and what was told before it too", () => {
  const told = new ToldTexts();
  told.tell("a");
  told.tell("ab");
  expect(told.isNews("another")).toBe(true);
  expect(told.isNews("ab")).toBe(true);
});
