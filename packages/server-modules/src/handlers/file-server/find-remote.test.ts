import type { HeaderList } from "http-engine/header-list";
import { expect, test } from "vitest";
import { addStoredFields } from "./find-remote.ts";

const stored = { contentEncoding: "br", contentType: "text/own", cacheControl: "max-age=7" };

test.each<[HeaderList, HeaderList]>([
  [[], ["Content-Encoding", "br", "Content-Type", "text/own", "Cache-Control", "max-age=7"]],
  [
    ["cache-control", "no-store", "Content-Type", "text/html"],
    ["cache-control", "no-store", "Content-Type", "text/html", "Content-Encoding", "br"],
  ],
])("fields that were stored with a file are added to %j", (headers, expected) => {
  const list = [...headers];
  addStoredFields(list, stored);
  expect(list).toEqual(expected);
  addStoredFields(list, undefined);
  addStoredFields(list, { contentEncoding: "", contentType: "", cacheControl: "" });
  expect(list).toEqual(expected);
});
