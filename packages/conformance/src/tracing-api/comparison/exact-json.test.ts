import { expect, test } from "vitest";
import { parseExactJson } from "./exact-json.ts";

test("keeps the text of numbers that doubles would change", () => {
  expect(parseExactJson('{"a":18446744073709551606,"b":1e21,"c":[1.0,-0,2.5,7],"d":"1.0"}')).toEqual({
    a: "number 18446744073709551606",
    b: "number 1e21",
    c: ["number 1.0", "number -0", 2.5, 7],
    d: "1.0",
  });
});
