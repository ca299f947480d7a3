import { expect, test } from "vitest";
import { logLevel } from "./log-level.ts";

test.each([
  [undefined, "info"],
  ["trace", "trace"],
  ["debug", "debug"],
  ["INFO", "info"],
  ["warn", "warn"],
  ["warning", "warn"],
  ["error", "error"],
  ["dpanic", "fatal"],
  ["panic", "fatal"],
  ["fatal", "fatal"],
])("reads %j as %s", (text, level) => {
  expect(logLevel("info").parse(text)).toBe(level);
});

test.each(["", "loud", "__proto__"])("refuses %j", (text) => {
  expect(logLevel("info").safeParse(text).error?.issues[0]?.message).toBe(
    `"${text}" is not a log level: trace, debug, info, warn, error, fatal, warning, dpanic, panic`,
  );
});
