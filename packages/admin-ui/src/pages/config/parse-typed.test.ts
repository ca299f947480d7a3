import { expect, test } from "vitest";
import { SchemaReader } from "../../config/schema.ts";
import { parseTyped } from "./parse-typed.ts";

const place = (type?: string[]) => new SchemaReader(type === undefined ? {} : { type }).at(null, "");

test.each([
  [["integer"], 1, "42", 42],
  [["integer"], 1, "-0.5e3", -500],
  [["integer"], 1, "4x", "4x"],
  [["integer"], 1, "042", "042"],
  [["string"], "", "42", "42"],
  [["number", "string"], "5s", "42", "42"],
  [["number", "string"], 5, "42", 42],
  [["number", "string"], 5, "42s", "42s"],
  [["boolean"], null, "true", true],
  [["boolean"], null, "yes", "yes"],
  [undefined, 5, "6", 6],
  [undefined, "a", "6", "6"],
])("for %j after %j, %s is %j", (type, before, text, value) => {
  expect(parseTyped(text, place(type), before)).toBe(value);
});
