import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { scenes, showScene } from "./scenes.ts";

describeApp("every page", (app) => {
  test.each(scenes)(
    "$name: axe finds nothing in either theme, nothing is cut off at 360 px",
    { timeout: 120_000 },
    async (scene) => {
      const { page, server, store } = app;
      Object.assign(app.answers, scene.answers);
      await showScene(page, server.origin, scene, store);
      expect(await violationsOn(page), "light").toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violationsOn(page, "colours"), "dark").toEqual([]);
      await page.setViewportSize({ width: 360, height: 780 });
      await page.evaluate(() => new Promise(requestAnimationFrame));
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      expect(await outOfReach(page)).toEqual([]);
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
      if (box.width === 0 || box.right <= innerWidth + 1 || element.closest(".graph-nodes") !== null)
        continue;
      let around = element.parentElement;
      while (around !== null && !scrolls(around)) around = around.parentElement;
      if (around === null) names.push(element.ariaLabel ?? element.textContent);
    }
    return names;
  });
}
