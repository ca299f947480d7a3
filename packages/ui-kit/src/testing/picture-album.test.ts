import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserFlags, browserPath } from "./browser.ts";
import { PictureAlbum, pictureViewport } from "./picture-album.ts";

const hasBrowser = existsSync(browserPath);
const title = hasBrowser ? "an album" : `an album (skipped: no Chromium at ${browserPath})`;

describe.skipIf(!hasBrowser)(title, { timeout: 180_000 }, () => {
  let root: string;
  let browser: Browser;
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), "picture-album-"));
    browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(root, { recursive: true, force: true });
  });

  test("tells what is missing, what differs, and what is painted over", async () => {
    const context = await browser.newContext({ viewport: pictureViewport });
    const page = await context.newPage();
    await page.setContent(`
      <style>:root { color-scheme: light dark; --sans: sans-serif; --mono: monospace }</style>
      <div id="lasting" style="height: 200px; background: light-dark(red, blue)"></div>
      <div id="changing" style="height: 200px; background: green"></div>`);
    const changing = page.locator("#changing");
    const album = new PictureAlbum(root);
    const missing = await album.complaints(page, "page");
    expect(missing).toHaveLength(2);
    expect(missing.join()).toContain("page-dark.png is missing");

    await album.keep(page, "page", [changing]);
    expect(await album.hasFontsOf(page)).toBe(true);
    expect(await album.complaints(page, "page", [changing])).toEqual([]);
    await changing.evaluate((box) => Object.assign(box.style, { background: "yellow" }));
    expect(await album.complaints(page, "page", [changing])).toEqual([]);
    expect(await album.complaints(page, "page")).toHaveLength(2);

    // A difference only in the dark theme is reported only for the dark theme.
    const lasting = page.locator("#lasting");
    await lasting.evaluate((box) => Object.assign(box.style, { background: "light-dark(red, cyan)" }));
    const [dark, ...others] = await album.complaints(page, "page", [changing]);
    expect(others).toEqual([]);
    expect(dark).toMatch(/^2\d\.\d\d % of page-dark\.png differs: .* node test\/keep-pictures\.ts page$/);
    expect((await readdir(path.join(root, "coverage/pictures"))).sort()).toEqual([
      "page-dark.png",
      "page-light.png",
    ]);

    await page.addStyleTag({ content: ":root { --mono: serif }" });
    expect(await album.hasFontsOf(page)).toBe(false);
    await context.close();
  });
});
