import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { replaceAll, replaceKnown, replaceStrictly } from "./machine-placeholders.ts";

beforeEach(() => vi.stubEnv("PH_A", "value"));
afterEach(() => vi.unstubAllEnvs());

// Expected results of Caddy 2.11.9: ReplaceAll, ReplaceKnown.
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

test("times are in the zone of the machine, but for that of HTTP", () => {
  const module = JSON.stringify(new URL("./machine-placeholders.ts", import.meta.url).href);
  const text = JSON.stringify("{time.now.common_log}|{time.now.rfc3339}|{time.now.http}");
  const code = `import(${module}).then(({ replaceAll }) => process.stdout.write(replaceAll(${text})))`;
  const printed = execFileSync(process.execPath, ["-e", code], {
    env: { ...process.env, TZ: "Asia/Tokyo" },
    encoding: "utf8",
  });
  expect(printed).toMatch(/^\d\d\/\w{3}\/\d{4}:[\d:]{8} \+0900\|[\d-]{10}T[\d:]{8}\+09:00\|.* GMT$/);
});
