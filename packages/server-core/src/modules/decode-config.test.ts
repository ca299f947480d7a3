import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonValue } from "../json/json-value.ts";
import { configDuration, notYet } from "./config-fields.ts";
import { decodeConfig } from "./decode-config.ts";

const schema = z.strictObject({
  name: z.string().nullish(),
  list: z.array(z.strictObject({ port: z.int() })).nullish(),
  timeout: configDuration().nullish(),
  later: notYet(),
});

test.each<[JsonValue, string]>([
  [{ bogus: 1 }, 'json: unknown field "bogus", at /config/x/bogus'],
  [{ list: [{ port: 1 }, { port: 2, zz: 1 }] }, 'json: unknown field "zz", at /config/x/list/1/zz'],
  [{ name: 1 }, "json: cannot unmarshal number into a value of type string, at /config/x/name"],
  [{ list: "a" }, "json: cannot unmarshal string into a value of type array, at /config/x/list"],
  [{ list: [{}] }, 'json: field "port" is missing, at /config/x/list/0/port'],
  [{ timeout: "zz" }, 'time: invalid duration "zz", at /config/x/timeout'],
  [{ timeout: true }, "json: value of a wrong type, at /config/x/timeout"],
  [{ later: { a: 1 } }, 'field "later" is not supported yet, at /config/x/later'],
  ["text", "json: cannot unmarshal string into a value of type object, at /config/x"],
])("refuses %j", (value, message) => {
  expect(() => decodeConfig(schema, value, "/config/x")).toThrow(message);
});

test.each<[JsonValue, number]>([
  [1_500_000_000, 1_500],
  ["1m30s", 90_000],
  ["2d", 172_800_000],
  ["-1s", 0],
  [-1, 0],
])("duration %j is %d ms", (timeout, ms) => {
  expect(decodeConfig(schema, { timeout }, "")).toEqual({ timeout: ms });
});

test("null members count as absent, unsupported ones too", () => {
  expect(decodeConfig(schema, { name: null, later: null }, "")).toEqual({ name: null, later: null });
});

test("null as an element of a list is the zero value of its type", () => {
  const lists = z.strictObject({
    texts: z.array(z.string()),
    parts: z.array(z.strictObject({ name: z.string().nullish(), flags: z.array(z.boolean()).nullish() })),
    any: z.array(z.unknown()),
  });
  const value = { texts: ["a", null], parts: [null, { flags: [null] }], any: [null] };
  expect(decodeConfig(lists, value, "")).toEqual({
    texts: ["a", ""],
    parts: [{}, { flags: [false] }],
    any: [null],
  });
  expect(value.texts[1]).toBe(null);
  expect(() => decodeConfig(schema, { list: [null] }, "/config/x")).toThrow("cannot unmarshal null");
});
