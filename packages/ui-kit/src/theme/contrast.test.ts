import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { serviceHues } from "./service-hues.ts";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
type Oklch = readonly [lightness: number, chroma: number, hue: number];
type Theme = "light" | "dark";

const tokens = new Map<string, Record<Theme, Oklch>>();
for (const [, name, light, dark] of css.matchAll(
  /--([\w-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\);/g,
)) {
  tokens.set(name as string, { light: numbers(light), dark: numbers(dark) });
}

function numbers(text: string | undefined): Oklch {
  return (text ?? "").split(" ").map(Number) as unknown as Oklch;
}

function token(name: string, theme: Theme): Oklch {
  const found = tokens.get(name);
  if (found === undefined) {
    throw new Error(`tokens.css has no colour --${name}`);
  }
  return found[theme];
}

/** Service colour of a hue at a tone, 0 or 1, from the lightness and chroma in tokens.css. */
function service(theme: Theme, hue: number, tone = 0): Oklch {
  // Each formula has a mean, an offset for the tone, and an offset for neighbouring hues, which alternates in sign.
  const formulas = [
    ...(css.split("--service: light-dark(")[1] ?? "").matchAll(
      /calc\(([\d.]+) ([+-]) ([\d.]+) \* var\(--tone\) \+ ([\d.]+) \* var\(--turn\)\)/g,
    ),
  ].slice(theme === "light" ? 0 : 2);
  const turn = serviceHues.indexOf(hue) % 2 === 1 ? -1 : 1;
  const [lightness = 0, chroma = 0] = formulas.map(
    ([, mean, sign, ofTone, ofTurn]) =>
      Number(mean) + Number(`${sign}${ofTone}`) * tone + Number(ofTurn) * turn,
  );
  return [lightness, chroma, hue];
}

/** Linear sRGB by Björn Ottosson's OKLab matrices. */
function linearRgb([lightness, chroma, hue]: Oklch): number[] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** WCAG 2 contrast ratio, colours outside sRGB clipped as a browser clips them. */
function contrast(one: Oklch, other: Oklch): number {
  const luminance = (colour: Oklch) => {
    const [r, g, b] = linearRgb(colour).map((value) => Math.min(1, Math.max(0, value))) as [
      number,
      number,
      number,
    ];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const themes: Theme[] = ["light", "dark"];
const surfaces = ["sunken", "page", "panel", "hover"];
const pairs = themes.flatMap((theme) => [
  ...["text", "text-2", "text-3", "accent", "error", "warning"].flatMap((text) =>
    surfaces.map((surface) => [theme, text, surface, 4.5] as const),
  ),
  ...["text", "text-2", "text-3", "accent", "error", "warning"].map(
    (text) => [theme, text, "accent-soft", 4.5] as const,
  ),
  ...["text", "text-2", "error"].map((text) => [theme, text, "error-soft", 4.5] as const),
  ...["text", "text-2", "warning"].map((text) => [theme, text, "warning-soft", 4.5] as const),
  [theme, "on-accent", "accent", 4.5] as const,
  [theme, "on-accent", "accent-hover", 4.5] as const,
  ...surfaces.map((surface) => [theme, "error-bar", surface, 3] as const),
  [theme, "field-line", "panel", 3] as const,
  [theme, "field-line", "page", 3] as const,
]);

test.each(pairs)("%s: %s on %s has a contrast of %d at least", (theme, front, back, least) => {
  expect(contrast(token(front, theme), token(back, theme))).toBeGreaterThanOrEqual(least);
});

test.each(themes)("%s: every service colour stands out from every surface and lies within sRGB", (theme) => {
  for (const [hue, tone] of serviceHues.flatMap((hue) => [[hue, 0] as const, [hue, 1] as const])) {
    const colour = service(theme, hue, tone);
    for (const value of linearRgb(colour)) {
      expect(value, `hue ${hue}, tone ${tone}`).toBeGreaterThan(-0.005);
      expect(value, `hue ${hue}, tone ${tone}`).toBeLessThan(1.005);
    }
    for (const back of [...surfaces, "accent-soft"]) {
      expect(contrast(colour, token(back, theme)), `hue ${hue} on ${back}`).toBeGreaterThanOrEqual(3);
    }
  }
});

test.each(themes)("%s: colours of neighbouring hues, and the tones of a hue, are told apart", (theme) => {
  const place = ([lightness, chroma, hue]: Oklch) => [
    lightness,
    chroma * Math.cos((hue * Math.PI) / 180),
    chroma * Math.sin((hue * Math.PI) / 180),
  ];
  const distance = (one: Oklch, other: Oklch) => {
    const there = place(other);
    return Math.hypot(...place(one).map((value, axis) => value - (there[axis] ?? 0)));
  };
  serviceHues.forEach((hue, slot) => {
    const next = serviceHues[(slot + 1) % serviceHues.length] ?? 0;
    // A difference of 0.02 is the smallest that most people see side by side.
    expect(distance(service(theme, hue), service(theme, next)), `${hue}`).toBeGreaterThan(0.09);
    expect(distance(service(theme, hue, 1), service(theme, next, 1)), `${hue}, tone 1`).toBeGreaterThan(0.09);
    expect(distance(service(theme, hue), service(theme, hue, 1)), `tones of ${hue}`).toBeGreaterThan(0.12);
  });
});

test.each(themes)("%s: surfaces follow each other in even, visible steps", (theme) => {
  const lightness = (name: string) => token(name, theme)[0];
  expect(Math.abs(lightness("panel") - lightness("page"))).toBeGreaterThan(0.02);
  expect(Math.abs(lightness("page") - lightness("sunken"))).toBeGreaterThan(0.02);
  expect(Math.abs(lightness("hover") - lightness("panel"))).toBeGreaterThan(0.03);
});

test.each(themes)("%s: the error bar is more vivid than any service", (theme) => {
  expect(token("error-bar", theme)[1]).toBeGreaterThan(service(theme, 0)[1] + 0.07);
});

test("the check of contrast itself is right: black on white, and grey #767676 on white", () => {
  expect(contrast([0, 0, 0], [1, 0, 0])).toBeCloseTo(21, 1);
  expect(contrast([0.5659, 0, 0], [1, 0, 0])).toBeCloseTo(4.54, 1);
});
