import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { scenes, showScene } from "./scenes.ts";

/** Windows that a page must fit into: notebooks, a telephone, a tablet, 1280 × 800 zoomed to 200 % and 1280 × 1024 to 400 %. */
const widths = [
  [1_440, 900],
  [1_300, 800],
  [1_200, 800],
  [1_024, 700],
  [360, 780],
  [768, 1024],
  [640, 400],
  [320, 256],
] as const;

const unnamedTable = "table:not([aria-label], [aria-labelledby], :has(caption))";

describeApp("every page", (app) => {
  test.each(scenes)(
    "$name: axe finds nothing in either theme, nothing is cut off in a small window or zoomed in",
    { timeout: 180_000 },
    async (scene) => {
      const { page, server, store } = app;
      Object.assign(app.answers, scene.answers);
      await showScene(page, server.origin, scene, store);
      expect(await violationsOn(page), "light").toEqual([]);
      // Readers list tables by their names; axe lets one without pass.
      expect(await page.locator(unnamedTable).count(), "tables without a name").toBe(0);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violationsOn(page, "colours"), "dark").toEqual([]);
      for (const [width, height] of widths) {
        await page.setViewportSize({ width, height });
        await page.evaluate(() => new Promise(requestAnimationFrame));
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(needed, `${width} px`).toBeLessThanOrEqual(width);
        expect(await outOfReach(page), `${width} px`).toEqual([]);
      }
      expect(app.complaints).toEqual([]);
    },
  );
});

/** The first result of each page, and how low a window may be: 1024 × 700, and 1280 × 800 zoomed to 200 %. */
const firstResults: [name: string, sign: string][] = [
  ["search", ".result"],
  ["services", ".rates tbody tr"],
  ["exceptions", ".exceptions tbody tr"],
  ["objectives", ".objectives tbody tr"],
  ["changes", ".changes-verdict"],
  ["dependencies", ".graph-node"],
  ["trace", "[role=treeitem]"],
  ["compare", ".compare-row"],
];

describeApp("the first result", (app) => {
  test("is in sight when a page opens, at 1024 × 700 and zoomed to 200 %", { timeout: 180_000 }, async () => {
    const { page, server, store } = app;
    for (const [name, sign] of firstResults) {
      const scene = scenes.find((one) => one.name === name);
      Object.assign(app.answers, scene?.answers);
      await page.goto(`${server.origin}${scene?.address(store)}`);
      const first = page.locator(sign).first();
      await first.waitFor();
      for (const [width, height] of [
        [1_024, 700],
        [640, 400],
      ] as const) {
        await page.setViewportSize({ width, height });
        const bottom = () => first.evaluate((element) => element.getBoundingClientRect().bottom);
        await expect
          .poll(bottom, { timeout: 60_000, message: `${name} at ${width} px` })
          .toBeLessThanOrEqual(height);
      }
    }
  });
});

/** Buttons, links and fields that lie beyond the right edge with nothing around them that can be scrolled there. */
function outOfReach(page: Parameters<typeof violationsOn>[0]): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element) =>
      /auto|scroll/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth;
    const names: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>("a, button, input, select")) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.right <= innerWidth + 1 || element.closest(".graph-nodes") !== null) {
        continue;
      }
      let around = element.parentElement;
      while (around !== null && !scrolls(around)) {
        around = around.parentElement;
      }
      if (around === null) {
        names.push(element.ariaLabel ?? element.textContent);
      }
    }
    return names;
  });
}
