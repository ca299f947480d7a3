import { expect, test } from "vitest";
import { addSwitchHeaders } from "./proxy-headers.ts";

test.each([
  [
    ["Upgrade", "websocket"],
    ["Server", "ours", "X", "y", "Upgrade", "websocket"],
  ],
  [
    ["SERVER", "theirs"],
    ["X", "y", "SERVER", "theirs"],
  ],
])("the fields of a 101 stand beside ours: %j", (from, expected) => {
  const headers = ["Server", "ours", "X", "y", "Content-Length", "3"];
  addSwitchHeaders(from, headers);
  expect(headers).toEqual(expected);
});
