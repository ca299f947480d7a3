import { mostDifference } from "ui-kit/testing/picture-album.ts";
import { ScreenshotComparer } from "ui-kit/testing/screenshot-comparer.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { album, pictured, showPictured } from "./picture.ts";

describeApp("pictures of the pages", (app) => {
  test.for(pictured)("$name looks as its reference does, in both themes", async (scene, { skip }) => {
    const { page, server, store } = app;
    Object.assign(app.answers, scene.answers);
    await showPictured(page, server.origin, scene, store);
    skip(!(await album.hasFontsOf(page)), "this browser draws other fonts than the references have");
    expect(await album.complaints(page, scene.name)).toEqual([]);
  });

  test("a page that lost its list is told from its reference", async () => {
    const { page, server, store } = app;
    const scene = pictured.find(({ name }) => name === "search");
    if (scene === undefined) {
      throw new Error("no such scene");
    }
    await showPictured(page, server.origin, scene, store);
    const desk = await ScreenshotComparer.open(app.context);
    const whole = await desk.take(page);
    expect(await desk.difference(whole, await desk.take(page))).toBeLessThan(mostDifference);
    await page.locator(".results").evaluate((list) => list.remove());
    expect(await desk.difference(whole, await desk.take(page))).toBeGreaterThan(mostDifference);
  });
});
