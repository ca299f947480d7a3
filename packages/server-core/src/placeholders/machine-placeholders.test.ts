import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { replaceAll, replaceKnown, replaceStrictly } from "./machine-placeholders.ts";

beforeEach(() => vi.stubEnv("PH_A", "value"));
afterEach(() => vi.unstubAllEnvs());

// Each as the public model (Caddy 2.11.9) answers it: ReplaceAll, ReplaceKnown.
test.each([
  ["plain", "plain", "plain"],
  ["a {env.PH_A} b", "a value b", "a value b"],
  ["{env.PH_NONE}", "", ""],
  ["{no.such}", "", "{no.such}"],
  ["{}", "", "{}"],
  ["{", "{", "{"],
  ["}", "}", "}"],
  ["{env.PH_A", "{env.PH_A", "{env.PH_A"],
  ["{no {env.PH_A}", "", "{no value"],
  ["{{env.PH_A}}", "}", "{value}"],
  ["\\{env.PH_A\\}", "{env.PH_A}", "{env.PH_A}"],
  ["{env.PH_A\\}{env.PH_A}", "", ""],
  ["{nope\\}{env.PH_A}", "", "{nope}value"],
  ['{"a": {"b": 1}}', "}", '{"a": {"b": 1}}'],
  ["func() { return }", "func() ", "func() { return }"],
])("%s", (text, all, known) => {
  expect(replaceAll(text)).toBe(all);
  expect(replaceKnown(text)).toBe(known);
});

test("what has no sense without a value is refused", () => {
  expect(replaceStrictly("a {env.PH_A}")).toBe("a value");
  expect(() => replaceStrictly("{env.PH_NONE}")).toThrow("evaluated placeholder {env.PH_NONE} is empty");
  expect(() => replaceStrictly("{no.such}")).toThrow("unrecognized placeholder {no.such}");
  expect(() => replaceKnown("{env.PH_NONE}", { mayBeEmpty: false })).toThrow("is empty");
  expect(replaceKnown("{no.such}", { mayBeEmpty: false })).toBe("{no.such}");
});

test("a text of a million opening braces is looked through once", () => {
  const braces = "{".repeat(1_000_000);
  expect(replaceKnown(braces)).toBe(braces);
});
