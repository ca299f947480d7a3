import { describe, expect, test } from "vitest";
import { bytes, commaList, duration, hostPort, parseHostPort } from "./fields.ts";

describe("parseHostPort", () => {
  test.each([
    [":4317", { host: "", port: 4317 }],
    ["4317", { host: "", port: 4317 }],
    ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
    ["collector.example:14250", { host: "collector.example", port: 14250 }],
    ["[::1]:80", { host: "::1", port: 80 }],
  ])("reads %s", (text, expected) => {
    expect(parseHostPort(text)).toEqual({ ...expected, text });
  });

  test.each(["", "a", "a:", ":65536", "::1:80", "http://a:80", "a b:1", ":-1"])("refuses %j", (text) => {
    expect(parseHostPort(text)).toBeUndefined();
  });
});

test("fields take text, give values, and have defaults", () => {
  expect(hostPort(":1").parse(undefined)).toEqual({ host: "", port: 1, text: ":1" });
  expect(duration("2s").parse(undefined)).toBe(2000);
  expect(bytes("64MiB").parse(undefined)).toBe(67_108_864);
  expect(bytes("0").parse("1.5KB")).toBe(1500);
  expect(commaList().parse(undefined)).toEqual([]);
  expect(commaList().parse("a, b,,c")).toEqual(["a", "b", "c"]);
});

test.each([
  [duration("1s"), "3", "is not a duration"],
  [bytes("1"), "1 parsec", "is not a size"],
  [hostPort(":1"), "nowhere", "is not host:port"],
])("refusals name the text", (field, text, message) => {
  const result = field.safeParse(text);
  expect(result.success).toBe(false);
  expect(result.error?.issues[0]?.message).toContain(`"${text}" ${message}`);
});
