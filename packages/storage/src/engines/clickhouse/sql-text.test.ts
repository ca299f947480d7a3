import { describe, expect, test } from "vitest";
import { concatenated } from "./sql-text.ts";

describe("concatenated", () => {
  test("is one literal where all is known", () => {
    expect(concatenated("\\xFF", { text: "it's" }, "\\xFEs", { text: "\\" })).toBe("'\\xFFit\\'s\\xFEs\\\\'");
  });

  test("is worked out by ClickHouse where something is a parameter", () => {
    expect(concatenated("\\xFF", { text: "it's" }, "\\xFEs", { text: "long", sql: "{a:String}" })).toBe(
      "concat('\\xFF', 'it\\'s', '\\xFEs', {a:String})",
    );
  });
});
