import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { scenes, showScene } from "./scenes.ts";

/** Windows that a page must fit into: a telephone, a tablet, 1280 × 800 zoomed to 200 % and 1280 × 1024 to 400 %. */
const widths = [
  [360, 780],
  [768, 1024],
  [640, 400],
  [320, 256],
] as const;

describeApp("every page", (app) => {
  test.each(scenes)(
    "$name: axe finds nothing in either theme, nothing is cut off in a small window or zoomed in",
    { timeout: 120_000 },
    async (scene) => {
      const { page, server, store } = app;
      Object.assign(app.answers, scene.answers);
      await showScene(page, server.origin, scene, store);
      expect(await violationsOn(page), "light").toEqual([]);
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
