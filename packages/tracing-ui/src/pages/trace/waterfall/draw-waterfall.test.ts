import { beforeAll, expect, test, vi } from "vitest";
import { sceneOf } from "../../../testing/scene-of.ts";
import { type ShortSpan, traceOf } from "../../../testing/trace-of.ts";
import { drawWaterfall } from "./draw-waterfall.ts";
import type { WaterfallPalette } from "./waterfall-palette.ts";
import { WaterfallPen } from "./waterfall-pen.ts";

interface Drawn {
  what: "text" | "box" | "line";
  text: string;
  x: number;
  y: number;
  width: number;
  colour: unknown;
  alpha: number;
  font: string;
  direction: string;
}

/** A canvas context that records draw calls. It tracks translations and clips as a real canvas does. */
function recorder() {
  const drawn: Drawn[] = [];
  let state = { fillStyle: "" as unknown, globalAlpha: 1, font: "", direction: "", dx: 0, dy: 0 };
  const stack: (typeof state)[] = [];
  let path = { x: 0, y: 0, width: 0 };
  const note = (what: Drawn["what"], text: string, x: number, y: number, width: number) => {
    const { fillStyle: colour, globalAlpha: alpha, font, direction, dx, dy } = state;
    drawn.push({ what, text, x: x + dx, y: y + dy, width, colour, alpha, font, direction });
  };
  const calls = {
    save: () => stack.push({ ...state }),
    restore: () => {
      state = stack.pop() ?? state;
    },
    translate: (x: number, y: number) => {
      state.dx += x;
      state.dy += y;
    },
    measureText: (text: string) => ({
      ...{ width: text.length * 8, fontBoundingBoxAscent: 12, fontBoundingBoxDescent: 4 },
    }),
    fillText: (text: string, x: number, y: number) => note("text", text, x, y, text.length * 8),
    fillRect: (x: number, y: number, width: number) => note("box", "", x, y, width),
    roundRect: (x: number, y: number, width: number) => {
      path = { x, y, width };
    },
    fill: () => note("box", "", path.x, path.y, path.width),
    stroke: () => note("line", "", 0, 0, 0),
  };
  const context = new Proxy({} as Record<string, unknown>, {
    get: (_, name: string) =>
      (calls as Record<string, unknown>)[name] ??
      (state as Record<string, unknown>)[name] ??
      (() => undefined),
    set: (_, name: string, value) => {
      (state as Record<string, unknown>)[name] = value;
      return true;
    },
  });
  return { drawn, context: context as unknown as CanvasRenderingContext2D };
}

function palette(services: number): WaterfallPalette {
  const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));
  return {
    colours: named([
      ...[
        "panel",
        "text",
        "text2",
        "text3",
        "line",
        "tick",
        "hover",
        "selected",
        "accent",
        "chip",
        "figures",
      ],
      ...["error", "errorBar", "errorSoft", "warning", "idle", "ink"],
    ]) as WaterfallPalette["colours"],
    services: Array.from({ length: services }, (_, index) => `service ${index}`),
    patterns: [],
    idle: undefined,
    fonts: named(["plain", "bold", "mono", "monoBold", "small", "large"]) as WaterfallPalette["fonts"],
    scale: 1,
  };
}

function draw(scene: ReturnType<typeof sceneOf>, stretch = { top: 0, height: 600 }, pointed = -1): Drawn[] {
  const { drawn, context } = recorder();
  const pen = new WaterfallPen(context, palette(scene.trace.services.length));
  pen.reset();
  drawWaterfall(pen, scene, stretch, pointed);
  return drawn;
}

const texts = (drawn: readonly Drawn[]) => drawn.filter(({ what }) => what === "text");
const row = (drawn: readonly Drawn[], at: number) =>
  drawn.filter(({ y, what }) => what !== "line" && y >= at * 22 && y < at * 22 + 22);

beforeAll(() => {
  vi.stubGlobal("Path2D", class {});
  return () => vi.unstubAllGlobals();
});

const trace = traceOf([
  ["root", undefined, 0, 1_000, "all", "shop"],
  ["bad", "root", 0, 500, "fails", "store", true],
  ["turned", "root", 500, 100, "\u202eesrever", "store"],
]);

test("what is drawn depends on the stretch, not on the trace", () => {
  const wide = (spans: number) =>
    sceneOf(
      traceOf([
        ["root", undefined, 0, 1_000_000],
        ...Array.from(
          { length: spans },
          (_, at): ShortSpan => [`${at}`, "root", at, 5, `op ${(at * at) % 101}`],
        ),
      ]),
    );
  const stretch = { top: 220, height: 440 };
  const few = draw(wide(100), stretch);
  const many = draw(wide(20_000), stretch);
  expect(texts(many).map(({ text }) => text)).toEqual(texts(few).map(({ text }) => text));
  expect(many.length).toBe(few.length);
  expect(texts(many).every(({ y }) => y > -22 && y < 440 + 44)).toBe(true);
});

test("bars lie where their time is, in their service's colour; failed ones in red", () => {
  const drawn = draw(sceneOf(trace));
  const bars = (at: number) => row(drawn, at).filter(({ y, x }) => y === at * 22 + 5 && x >= 300);
  expect(bars(0)).toMatchObject([{ x: 300, width: 500, colour: "service 0" }]);
  expect(bars(1)).toMatchObject([{ x: 300, width: 250, colour: "errorBar" }]);
  expect(bars(2)).toMatchObject([{ x: 550, width: 50, colour: "service 1" }]);
  expect(texts(row(drawn, 1)).find(({ text }) => text === "fails")?.colour).toBe("error");
});

test("each name is a text of its own, written from left to right: none turns the direction of its neighbours", () => {
  const own = texts(row(draw(sceneOf(trace)), 2));
  expect(own.map(({ text }) => text)).toEqual(["store", "\u202eesrever", "100", "µs"]);
  expect(new Set(own.map(({ direction }) => direction))).toEqual(new Set(["ltr"]));
});

test("a filter that dims leaves names readable, and bars pale", () => {
  const drawn = draw(sceneOf(trace, { view: { filter: "fails", dims: true } }));
  const [bar] = row(drawn, 2).filter(({ x, y }) => x >= 300 && y === 49);
  expect(bar?.alpha).toBeLessThan(0.5);
  expect(texts(row(drawn, 2)).every(({ alpha, colour }) => alpha === 1 && colour === "text3")).toBe(true);
  expect(row(drawn, 1).find(({ colour }) => colour === "errorBar")?.alpha).toBe(1);
});

test("the rows selected and pointed at have grounds of their own; the critical path is at the foot of its bars", () => {
  const drawn = draw(sceneOf(trace, { view: { selected: 1 } }), undefined, 2);
  expect(row(drawn, 1).map(({ colour }) => colour)).toContain("selected");
  expect(row(drawn, 2).map(({ colour }) => colour)).toContain("hover");
  const path = drawn.filter(({ colour, y }) => colour === "text" && y % 22 === 18);
  expect(path.map(({ x, width }) => [x, width])).toContainEqual([300, 250]);
});

test("what runs outside the time in view is pointed to", () => {
  const drawn = draw(sceneOf(trace, { view: { range: { fromUs: 610, toUs: 700 } } }));
  expect(texts(row(drawn, 2)).map(({ text }) => text)).toContain("‹");
  const early = draw(sceneOf(trace, { view: { range: { fromUs: 0, toUs: 100 } } }));
  expect(texts(row(early, 2)).map(({ text }) => text)).toContain("›");
});

test("how long nothing ran is said wherever one scrolls to", () => {
  const gaps = [{ fromUs: 200, toUs: 250, lengthUs: 300_000_000 }];
  const spans = Array.from(
    { length: 500 },
    (_, at): ShortSpan => [`${at}`, undefined, at, 5, `op ${at % 2}`],
  );
  const scene = sceneOf(traceOf(spans), { gaps });
  for (let top = 0; top < 9_000; top += 130) {
    const said = texts(draw(scene, { top, height: 600 })).filter(({ text }) => text === "5m idle");
    expect(
      said.some(({ y }) => y > -20 && y < 500),
      `from ${top}`,
    ).toBe(true);
  }
});

test("a run of like siblings is one bar with what its spans last", () => {
  const spans = Array.from({ length: 9 }, (_, at): ShortSpan => [`${at}`, undefined, 100 * at, 7]);
  const own = texts(draw(sceneOf(traceOf(spans)))).map(({ text }) => text);
  expect(own).toEqual(["×9", "s", "op", "p50 ", "7", "\u00a0µs ", "p95 ", "7", "\u00a0µs"]);
});
