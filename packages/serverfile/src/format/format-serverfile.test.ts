import { expect, test } from "vitest";
import { formatServerfile } from "./format-serverfile.ts";

test.each([
  [
    "a byte order mark stays, as it is no white space",
    "\ufeff:80 {\nrespond a\n}\n",
    "\ufeff:80 {\n\trespond a\n}\n",
  ],
  ["white space around the text goes", "\n\u00a0 :80 {\n}\n\n\u3000", ":80 {\n}\n"],
  ["line breaks of other systems", ":80 {\r\nrespond a\r\n}\r\n", ":80 {\n\trespond a\n}\n"],
])("%s", (_name, text, formatted) => {
  expect(formatServerfile(text)).toBe(formatted);
  expect(formatServerfile(formatted)).toBe(formatted);
});
