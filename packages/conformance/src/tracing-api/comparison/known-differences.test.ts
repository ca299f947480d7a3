import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { judge, readKnownDifferences } from "./known-differences.ts";
import { renderKnownDifferences } from "./render-known-differences.ts";

const known = [{ reason: "meant", questions: ["GET /a*", "GET /b"], paths: ["json.*", "status"] }];

test("tells what is meant from what is not", () => {
  const meant = { question: "GET /abc", path: "json.data[x].y", theirs: 1, ours: 2 };
  const others = [
    { question: "GET /abc", path: "type", theirs: 1, ours: 2 },
    { question: "POST GET /abc", path: "json.x", theirs: 1 },
  ];
  const { unknown, known: count } = judge([meant, ...others], known);
  expect(unknown).toEqual(others);
  expect(count).toBe(1);
});

test("names patterns that match nothing", () => {
  const { stale } = judge([{ question: "GET /b", path: "status", ours: 1 }], known);
  expect(stale).toEqual(["GET /a*", "json.*"]);
});

test("brackets and dots stand for themselves", () => {
  const [entry] = [{ reason: "", questions: ["a.b[c]"], paths: ["x"] }];
  expect(judge([{ question: "aXb[c]", path: "x" }], [entry]).unknown).toHaveLength(1);
  expect(judge([{ question: "a.b[c]", path: "x" }], [entry]).unknown).toHaveLength(0);
});

test("docs/known-differences.md says what the list says; npm run conformance -- compare --write-docs writes it", () => {
  const docs = readFileSync(new URL("../../../../../docs/known-differences.md", import.meta.url), "utf8");
  expect(docs).toBe(renderKnownDifferences(readKnownDifferences()));
});
