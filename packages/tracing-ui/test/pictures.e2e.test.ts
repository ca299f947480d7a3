import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import {
  type FontWidths,
  fontWidths,
  PictureDesk,
  pictured,
  pictureFile,
  pictureFolder,
  showPictured,
  themes,
} from "./picture.ts";

/** The share of pixels that may be another colour than in the reference. */
const mostDifference = 0.004;
/** Pixels by which a line of text may be longer or shorter: less than a letter. */
const mostFontDifference = 0.5;

/** Where pictures that differ are kept, not under version control. */
const seenFolder = fileURLToPath(new URL("../coverage/pictures/", import.meta.url));

describeApp("pictures of the pages", (app) => {
  test.for(pictured)("$name looks as its reference does, in both themes", async (scene, { skip }) => {
    const { page, server, store } = app;
    Object.assign(app.answers, scene.answers);
    await showPictured(page, server.origin, scene, store);
    const wanted = JSON.parse(await readFile(path.join(pictureFolder, "fonts.json"), "utf8")) as FontWidths;
    const here = await fontWidths(page);
    const sameFonts = (["sans", "mono"] as const).every(
      (family) => Math.abs(here[family] - wanted[family]) <= mostFontDifference,
    );
    skip(!sameFonts, "this browser draws other fonts than the references have");
    const desk = await PictureDesk.open(app.context);
    for (const theme of themes) {
      const file = pictureFile(scene, theme);
      expect(existsSync(file), `${file}: node test/keep-pictures.ts takes it`).toBe(true);
      await page.emulateMedia({ colorScheme: theme });
      const picture = await desk.take(page);
      const difference = await desk.difference(picture, await readFile(file));
      if (difference <= mostDifference) continue;
      await mkdir(seenFolder, { recursive: true });
      const seen = path.join(seenFolder, path.basename(file));
      await writeFile(seen, picture);
      expect.fail(
        `${(100 * difference).toFixed(2)} % of ${path.basename(file)} differs: look at ${seen}; if it is as it shall be, node test/keep-pictures.ts ${scene.name}`,
      );
    }
  });

  test("a page that lost its list is told from its reference", async () => {
    const { page, server, store } = app;
    const scene = pictured.find(({ name }) => name === "search");
    if (scene === undefined) throw new Error("no such scene");
    await showPictured(page, server.origin, scene, store);
    const desk = await PictureDesk.open(app.context);
    const whole = await desk.take(page);
    expect(await desk.difference(whole, await desk.take(page))).toBeLessThan(mostDifference);
    await page.locator(".results").evaluate((list) => list.remove());
    expect(await desk.difference(whole, await desk.take(page))).toBeGreaterThan(mostDifference);
  });
});
