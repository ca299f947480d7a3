import { expect, test } from "vitest";
import { sceneOf } from "../../../testing/scene-of.ts";
import { type ShortSpan, traceOf } from "../../../testing/trace-of.ts";
import { FittedText } from "./fitted-text.ts";
import { layOutRow } from "./row-layout.ts";

const texts = () => new FittedText((text) => [...text].length * 8);
const chain = (levels: number): ShortSpan[] =>
  Array.from({ length: levels }, (_, level) => [
    ...([`${level}`, level === 0 ? undefined : `${level - 1}`, level, 1_000 - level] as const),
    ...(["op", `s${level % 2}`] as const),
  ]);

test("each level is further in, up to the twelfth; deeper ones say their number", () => {
  const scene = sceneOf(traceOf(chain(16)));
  const at = (span: number) => layOutRow(scene, span, texts());
  expect(at(0).foldX).toBe(8);
  expect(at(1).foldX).toBe(20);
  expect(at(12).foldX).toBe(152);
  expect(at(15).foldX).toBe(152);
  expect(at(12).level).toBeUndefined();
  expect(at(13).level?.text).toBe("14");
});

test("a child of its parent's service does not repeat its name; a folded span says how many it hides", () => {
  const scene = sceneOf(
    traceOf([
      ["a", undefined, 0, 100, "all", "shop"],
      ["b", "a", 1, 10, "own", "shop"],
      ["c", "b", 2, 5, "other", "store", true],
    ]),
    { view: { folded: new Set([1]) } },
  );
  expect(layOutRow(scene, 0, texts()).service?.text).toBe("shop");
  const folded = layOutRow(scene, 1, texts());
  expect(folded.service).toBeUndefined();
  expect(folded.fold).toBe("folded");
  expect(folded.chips).toEqual([{ kind: "below", x: 300 - 8 - 26, width: 26, text: "+1", failed: true }]);
  const failed = layOutRow(scene, 2, texts());
  expect(failed.fold).toBeUndefined();
  expect(failed.chips).toMatchObject([{ kind: "failed", x: 276, width: 16 }]);
});

test("parts of a name never overlap, however narrow the column and long the texts", () => {
  const long = "an operation with quite a long name ".repeat(20);
  const trace = traceOf([
    ["a", undefined, 0, 100, long, "a service with a long name"],
    ...Array.from({ length: 9 }, (_, index): ShortSpan => [`b${index}`, "a", 1, 10, long, long, index === 0]),
  ]);
  for (const openRuns of [new Set<number>(), new Set([1])]) {
    for (let nameWidth = 160; nameWidth < 600; nameWidth += 37) {
      const scene = sceneOf(trace, { nameWidth, view: { openRuns } });
      for (const span of scene.rows) {
        const measure = texts();
        const { stripeX, count, service, operation, chips } = layOutRow(scene, span, measure);
        const parts = [
          { x: stripeX, width: 4 },
          ...(count === undefined ? [] : [count]),
          ...(service === undefined
            ? []
            : [{ x: service.x, width: measure.width(service.text, service.font) }]),
          ...(operation.text === ""
            ? []
            : [{ x: operation.x, width: measure.width(operation.text, "plain") }]),
          ...chips,
        ];
        for (const [index, part] of parts.entries()) {
          const next = parts[index + 1]?.x ?? nameWidth;
          expect(part.x + part.width, `${nameWidth}: part ${index} of ${span}`).toBeLessThanOrEqual(next);
        }
      }
    }
  }
});

test("what a filter dims is written lighter, and measured so", () => {
  const trace = traceOf([
    ["a", undefined, 0, 100, "all", "shop"],
    ["b", "a", 1, 10, "found", "store"],
  ]);
  const scene = sceneOf(trace, { view: { filter: "found", dims: true } });
  const bold = new FittedText((text, font) => text.length * (font === "bold" ? 10 : 8));
  const [dimmed, found] = [0, 1].map((span) => layOutRow(scene, span, bold));
  expect(dimmed?.service).toMatchObject({ text: "shop", font: "plain" });
  expect(found?.service).toMatchObject({ text: "store", font: "bold" });
  expect(dimmed?.operation.x).toBe((dimmed?.service?.x ?? 0) + 4 * 8 + 7);
  expect(found?.operation.x).toBe((found?.service?.x ?? 0) + 5 * 10 + 7);
});
