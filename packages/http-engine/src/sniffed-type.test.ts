import { expect, test } from "vitest";
import { sniffType } from "./sniffed-type.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const html = "text/html; charset=utf-8";
const text = "text/plain; charset=utf-8";
const unknown = "application/octet-stream";

// The values equal the results of Go's DetectContentType.
test.each([
  ["", text],
  ["ok", text],
  ["caf\xc3\xa9 \x1b[1m", text],
  ["a\0b", unknown],
  [" \n<!doctype html>", html],
  ["<HtMl >", html],
  ["<p>a", html],
  ["<a>", html],
  ["<a", text],
  ["<body\n>", text],
  ["<!-->", html],
  ["<!-- x", html],
  ["\t<?xml version", "text/xml; charset=utf-8"],
  ["\xef\xbb\xbfa", text],
  ["\xef\xbb\xbf", text],
  ["\xff\xfea\0", "text/plain; charset=utf-16le"],
  ["\xfe\xff\0a", "text/plain; charset=utf-16be"],
  ["\xfe\xff\0", unknown],
  ["%PDF-1.4", "application/pdf"],
  [" %PDF-1.4", text],
  ["GIF89a..", "image/gif"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["RIFFabcdWEBPVP8", "image/webp"],
  ["RIFFabcdWAVE", "audio/wave"],
  ["RIFFabcdNONE", text],
  ["BM", "image/bmp"],
  [`${"\0".repeat(34)}LP`, "application/vnd.ms-fontobject"],
  ["\0asm", "application/wasm"],
  ["\x1f\x8b\b", "application/x-gzip"],
  ["PK\x03\x04", "application/zip"],
  ["\0\0\0\x14ftypmp42\0\0\0\0mp41", "video/mp4"],
  ["\0\0\0\x10ftypxxxxmp41", unknown],
  ["\0\0\0\xffftypmp42", unknown],
  ["\0\0\0\x0bftypmp42", unknown],
  [`${" ".repeat(511)}<p>`, text],
  [`${"a".repeat(512)}\0`, text],
  ['{"a":1}', text],
])("the first bytes %j say %s", (first, type) => {
  expect(sniffType(bytes(first))).toBe(type);
});
