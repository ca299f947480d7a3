import { expect, test } from "vitest";
import { withoutControls } from "./without-controls.ts";

const shown = (message: string): string => JSON.parse(withoutControls(JSON.stringify({ message }))).message;

test.each([
  ['plain äö 😀 \\ " / text', 'plain äö 😀 \\ " / text'],
  ["\u001b[31mred", "\\u001b[31mred"],
  ["\\u001b", "\\u001b"],
  ["\\\u001b", "\\\\u001b"],
  ["back\b\r\fspace", "back\\b\\r\\fspace"],
  ["one\n\ttwo", "one\n\ttwo"],
  ["\u007f\u009b2J", "\\u007f\\u009b2J"],
  ["\u0000\u0007", "\\u0000\\u0007"],
])("%j is shown as %j", (message, expected) => {
  expect(shown(message)).toBe(expected);
});

test("no character but ends of lines and tabs controls a terminal, and none breaks the line", () => {
  for (let code = 0; code < 0x100; code++) {
    const text = shown(`\\${String.fromCharCode(code)}\\`);
    const controls = Array.from(text, (one) => one.charCodeAt(0)).filter(
      (one) => one < 0x20 || (one >= 0x7f && one < 0xa0),
    );
    expect(controls.filter((one) => one !== 0x09 && one !== 0x0a)).toEqual([]);
  }
});
