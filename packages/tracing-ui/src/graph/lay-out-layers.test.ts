import fc from "fast-check";
import { expect, test } from "vitest";
import { layOutLayers } from "./lay-out-layers.ts";

const sizes = { nodeWidth: 100, nodeHeight: 40, nodeGap: 20, lineGap: 10, columnGap: 60, margin: 12 };
const edgesOf = (text: string) =>
  text.split(" ").map((edge) => {
    const [from = 0, to = 0] = [...edge].map((letter) => letter.charCodeAt(0) - 97);
    return { from, to };
  });

test("a chain is a level line", () => {
  const { width, height, places, lines } = layOutLayers(3, edgesOf("ab bc"), sizes);
  expect(places).toEqual([62, 222, 382].map((x) => ({ x, y: 32 })));
  expect(lines[0]).toEqual([
    { x: 112, y: 32 },
    { x: 172, y: 32 },
  ]);
  expect({ width, height }).toEqual({ width: 444, height: 64 });
});

test("a node stands in the middle of its neighbours, and next to them", () => {
  const { places } = layOutLayers(5, edgesOf("ab ac ad ed"), sizes);
  const [a, b, c, d, e] = places;
  expect(a?.y).toBe(c?.y);
  expect([b, c, d].map((place) => place?.x)).toEqual([222, 222, 222]);
  expect(e).toMatchObject({ x: 62 });
});

test("edges that need not cross do not", () => {
  const { places } = layOutLayers(6, edgesOf("ad be cf"), sizes);
  const order = (nodes: number[]) => nodes.toSorted((a, b) => (places[a]?.y ?? 0) - (places[b]?.y ?? 0));
  expect(order([3, 4, 5]).map((node) => node - 3)).toEqual(order([0, 1, 2]));
});

test("a line that passes a column leads level through a gap of it", () => {
  const { places, lines } = layOutLayers(4, edgesOf("ab bc cd ad"), sizes);
  const line = lines[3] ?? [];
  expect(line.map(({ x }) => x)).toEqual([112, 172, 272, 332, 432, 492]);
  for (const [at, node] of [
    [1, 1],
    [3, 2],
  ] as const) {
    expect(line[at]?.y).toBe(line[at + 1]?.y);
    expect(Math.abs((line[at]?.y ?? 0) - (places[node]?.y ?? 0))).toBeGreaterThanOrEqual(20);
  }
});

test("a circle is drawn with one edge that leads back, two that call each other with both", () => {
  const { lines } = layOutLayers(3, edgesOf("ab bc ca"), sizes);
  expect(lines.map((line) => Math.sign((line.at(-1)?.x ?? 0) - (line[0]?.x ?? 0)))).toEqual([1, 1, -1]);
  const pair = layOutLayers(2, edgesOf("ab ba"), sizes);
  expect(pair.lines[1]).toEqual(pair.lines[0]?.toReversed());
});

test("nothing, one alone, and an edge to itself", () => {
  expect(layOutLayers(0, [], sizes)).toEqual({ width: 0, height: 0, places: [], lines: [] });
  expect(layOutLayers(1, edgesOf("aa"), sizes)).toEqual({
    ...{ width: 124, height: 64 },
    ...{ places: [{ x: 62, y: 32 }], lines: [[]] },
  });
});

test("whatever the graph: boxes keep their distance and lie within, lines join sides of boxes", () => {
  const graph = fc.integer({ min: 1, max: 14 }).chain((nodes) => {
    const node = fc.integer({ min: 0, max: nodes - 1 });
    return fc.record({
      nodes: fc.constant(nodes),
      edges: fc.array(fc.record({ from: node, to: node }), { maxLength: 30 }),
    });
  });
  fc.assert(
    fc.property(graph, ({ nodes, edges }) => {
      const { width, height, places, lines } = layOutLayers(nodes, edges, sizes);
      for (const [at, a] of places.entries()) {
        expect(a.x - 50).toBeGreaterThanOrEqual(12);
        expect(a.x + 50).toBeLessThanOrEqual(width - 12);
        expect(a.y - 20).toBeGreaterThanOrEqual(12);
        expect(a.y + 20).toBeLessThanOrEqual(height - 11);
        for (const b of places.slice(at + 1)) {
          // Heights are rounded to pixels.
          if (a.x === b.x) {
            expect(Math.abs(a.y - b.y)).toBeGreaterThanOrEqual(59);
          }
        }
      }
      lines.forEach((line, edge) => {
        const { from = 0, to = 0 } = edges[edge] ?? {};
        if (from === to) {
          expect(line).toEqual([]);
          return;
        }
        expect(line[0]?.y).toBe(places[from]?.y);
        expect(line.at(-1)?.y).toBe(places[to]?.y);
        const way = Math.sign((places[to]?.x ?? 0) - (places[from]?.x ?? 0));
        expect(way).not.toBe(0);
        expect(line[0]?.x).toBe((places[from]?.x ?? 0) + way * 50);
        expect(line.at(-1)?.x).toBe((places[to]?.x ?? 0) - way * 50);
      });
    }),
    { numRuns: 300 },
  );
});
