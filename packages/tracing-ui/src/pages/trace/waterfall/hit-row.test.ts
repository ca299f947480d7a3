import { expect, test } from "vitest";
import { sceneOf } from "../../../testing/scene-of.ts";
import { type ShortSpan, traceOf } from "../../../testing/trace-of.ts";
import { RowWindow } from "../../../trace/row-window.ts";
import { FittedText } from "./fitted-text.ts";
import { hintOf, hitRow } from "./hit-row.ts";
import { layOutRow } from "./row-layout.ts";

const texts = new FittedText((text) => [...text].length * 8);
const trace = traceOf([
  ["root", undefined, 0, 1_000, "all", "shop"],
  ...Array.from({ length: 8 }, (_, at): ShortSpan => [`run${at}`, "root", 10 * at, 5, "one", "store"]),
  ["orphan", "gone", 500, 10, "lost", "shop", true],
]);
const run = trace.spans.findIndex(({ spanID }) => spanID === "run0");
const peer = { percentile: 0.97, peers: 1_200, medianUs: 400, p95Us: 900, p99Us: 950 };
const scene = sceneOf(trace, {
  view: { openRuns: new Set([run]) },
  peers: new Map([["root", peer]]),
});
const rowOf = (id: string) => scene.rows.indexOf(trace.spans.findIndex(({ spanID }) => spanID === id));
const at = (id: string, x: number) => {
  const hit = hitRow(scene, texts, x, rowOf(id) * 22 + 11);
  return hit && { part: hit.part, hint: hintOf(scene, hit) };
};
const chipX = (id: string, kind: string) =>
  (layOutRow(scene, scene.rows[rowOf(id)] as number, texts).chips.find((chip) => chip.kind === kind)?.x ??
    0) + 1;

test("parts of a row are told apart, and say what they are", () => {
  expect(at("root", 9)?.part).toBe("fold");
  expect(at("root", 120)).toEqual({ part: "name", hint: "\u2068shop\u2069: \u2068all\u2069" });
  expect(at("run1", 22)?.part).toBe("name");
  expect(at("run0", chipX("run0", "run"))).toEqual({ part: "run", hint: "Fold these 8 like spans (h)" });
  expect(at("orphan", chipX("orphan", "odd"))?.hint).toBe("Its parent is not in this trace");
  expect(at("orphan", chipX("orphan", "failed"))?.hint).toBe("This span failed");
  expect(at("root", 400)).toEqual({ part: "bar", hint: "" });
  expect(at("root", 890)?.hint).toBe(
    "Longer than p97 of 1,200 recent spans of this operation (median 400\u00a0µs)",
  );
  expect(at("orphan", 890)?.part).toBe("bar");
});

test("a folded run is one row, whose caret is part of it", () => {
  const folded = sceneOf(trace);
  const hit = hitRow(folded, texts, 22, 22 + 11);
  expect(hit).toEqual({ row: 1, span: run, part: "name" });
  expect(hit && hintOf(folded, hit)).toBe("8 spans in a row: \u2068store\u2069: \u2068one\u2069");
});

test("what runs outside the time in view is pointed at by the edge", () => {
  const near = sceneOf(trace, { view: { range: { fromUs: 100, toUs: 400 }, openRuns: new Set([run]) } });
  expect(hitRow(near, texts, 305, rowOf("run3") * 22 + 1)?.part).toBe("before");
  expect(hitRow(near, texts, 795, rowOf("orphan") * 22 + 1)?.part).toBe("after");
});

test("there is nothing below the rows, and nothing in a panel", () => {
  expect(hitRow(scene, texts, 50, scene.rows.length * 22 + 1)).toBeUndefined();
  expect(hitRow(scene, texts, 50, -1)).toBeUndefined();
  const open = sceneOf(trace, { rowWindow: new RowWindow(3, 22, [{ row: 0, height: 100 }]) });
  expect(hitRow(open, texts, 50, 60)).toBeUndefined();
  expect(hitRow(open, texts, 50, 125)?.row).toBe(1);
  const empty = sceneOf(traceOf([]));
  expect(hitRow(empty, texts, 50, 5)).toBeUndefined();
});
