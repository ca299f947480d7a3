import { describe, expect, test } from "vitest";
import { parseStrategies } from "./parse-strategies.ts";

test("reads a file, with defaults for what is absent or null", () => {
  const json = `{
    "default_strategy": {"type": "probabilistic", "param": 0.5, "operation_strategies": null},
    "service_strategies": [{"service": "foo", "type": null}, {"SERVICE": "bar", "Operation_Strategies": [{}]}]
  }`;
  expect(parseStrategies(json)).toEqual({
    default_strategy: { service: "", type: "probabilistic", param: 0.5, operation_strategies: [] },
    service_strategies: [
      { service: "foo", type: "", param: 0, operation_strategies: [] },
      { service: "bar", type: "", param: 0, operation_strategies: [{ operation: "", type: "", param: 0 }] },
    ],
  });
});

test.each(["{}", '{"default_strategy":null,"service_strategies":null}'])("%s has no rules", (json) => {
  expect(parseStrategies(json)).toEqual({ default_strategy: undefined, service_strategies: [] });
});

test("null is no file", () => {
  expect(parseStrategies(" null\n")).toBeUndefined();
});

test("tells of members without a meaning, and passes over them", () => {
  const unknown: string[] = [];
  const json =
    '{"x":1,"default_strategy":{"typ":"probabilistic"},"service_strategies":[{},{"__proto__":{"a":1},"paramm":2}]}';
  const file = parseStrategies(json, (path) => unknown.push(path));
  expect(unknown).toEqual([
    "x",
    "default_strategy.typ",
    "service_strategies[1].__proto__",
    "service_strategies[1].paramm",
  ]);
  expect(file?.service_strategies).toHaveLength(2);
});

describe("refuses", () => {
  test.each([
    ["", "is not JSON: Unexpected end of JSON input"],
    [
      '{\n "default_strategy": {,}}',
      "is not JSON: Expected property name or '}' in JSON at position 24 (line 2 column 23)",
    ],
    ["[]", "Invalid input: expected object, received array"],
    ['"x"', "Invalid input: expected object, received string"],
    ['{"default_strategy":[]}', "default_strategy: Invalid input: expected object, received array"],
    [
      '{"default_strategy":{"operation_strategies":[{},{"param":"0.5"}]}}',
      "default_strategy.operation_strategies[1].param: Invalid input: expected number, received string",
    ],
    [
      '{"service_strategies":[{"service":7}]}',
      "service_strategies[0].service: Invalid input: expected string, received number",
    ],
    ['{"service_strategies":[null]}', "service_strategies[0]: Invalid input: expected object, received null"],
    ['{"service_strategies":{}}', "service_strategies: Invalid input: expected array, received object"],
    [
      '{"default_strategy":{"param":1e999}}',
      "default_strategy.param: Invalid input: expected number, received Infinity",
    ],
  ])("%s", (json, message) => {
    expect(() => parseStrategies(json)).toThrow(
      expect.objectContaining({ name: "StrategiesError", message: expect.stringContaining(message) }),
    );
  });
});
