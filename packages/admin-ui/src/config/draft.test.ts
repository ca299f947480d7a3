import { expect, test } from "vitest";
import type { PatchOperation } from "../api/json-patch.ts";
import { rebase, withEdit } from "./draft.ts";

const set = (path: string, value: string): PatchOperation => ({ op: "replace", path, value });

test("typing on in one field is one edit", () => {
  expect(withEdit([set("/a", "1")], set("/a", "2"))).toEqual([set("/a", "2")]);
  expect(withEdit([{ op: "add", path: "/a", value: "" }], set("/a", "2"))).toEqual([
    { op: "add", path: "/a", value: "2" },
  ]);
  expect(withEdit([set("/a", "1"), set("/b", "1")], set("/a", "2"))).toHaveLength(3);
});

test("an edit of a list's element is one of its own: an added element may stand elsewhere", () => {
  const added: PatchOperation = { op: "add", path: "/l/0", value: "x" };
  expect(withEdit([added], set("/l/0", "y"))).toHaveLength(2);
});

test("on another version some edits fit and others are lost", () => {
  const edits = [set("/a", "1"), set("/gone/x", "1"), set("/b", "2")];
  expect(rebase({ a: "", b: "", c: 1 }, edits)).toEqual({
    document: { a: "1", b: "2", c: 1 },
    fitting: [edits[0], edits[2]],
    lost: [edits[1]],
  });
});
