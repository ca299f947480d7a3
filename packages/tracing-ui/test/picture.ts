import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import type { ShopStore } from "./fixtures/shop-store.ts";
import { type Scene, scenes, showScene } from "./scenes.ts";

/** Where the reference pictures are kept, two for each of `pictured`, and fonts.json. */
export const pictureFolder = path.resolve(import.meta.dirname, "pictures");

const names = [
  ...["search", "first-span", "services", "service", "dependencies", "compare", "commands"],
  ...["trace-details", "trace-flame", "trace-graph", "trace-statistics", "trace-json"],
];

/** The scenes that are compared with a reference: one of each page and view. */
export const pictured: readonly Scene[] = scenes.filter(({ name }) => names.includes(name));

/** Themes that each of them is pictured in. */
export const themes = ["light", "dark"] as const;

/** Size in which pages are pictured; kept is a third of it, which evens out how letters are smoothed. */
const pictureViewport = { width: 1280, height: 800 };
const kept = { width: 400, height: 250 };

/** A pixel counts as another one when a channel differs by more than this, of 255. */
const mostChannelDifference = 34;

/** What texts measure with the page's fonts, in pixels: two machines that agree draw the same letters. */
export interface FontWidths {
  sans: number;
  mono: number;
}

/** Measures texts in the page's two families, plain and bold together. */
export function fontWidths(page: Page): Promise<FontWidths> {
  return page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d");
    if (context === null) throw new Error("no canvas");
    const style = getComputedStyle(document.documentElement);
    const width = (family: string) =>
      ["13px", "600 15px"].reduce((sum, font) => {
        context.font = `${font} ${style.getPropertyValue(family)}`;
        return sum + context.measureText("Sphinx of black quartz, judge my vow — 0123456789 µs ≥ ×").width;
      }, 0);
    return { sans: width("--sans"), mono: width("--mono") };
  });
}

/** Shrinks and compares pictures in a browser of its own page: it decodes PNG and scales well. */
export class PictureDesk {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async open(context: BrowserContext): Promise<PictureDesk> {
    return new PictureDesk(await context.newPage());
  }

  /** What is seen of the page, as a small PNG. */
  async take(page: Page): Promise<Buffer> {
    const png = await page.screenshot({ animations: "disabled" });
    const small = await this.#page.evaluate(
      async ([text, { width, height }]) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        const context = canvas.getContext("2d");
        if (context === null) throw new Error("no canvas");
        context.imageSmoothingQuality = "high";
        context.drawImage(bitmap, 0, 0, width, height);
        const image = context.getImageData(0, 0, width, height);
        // Sixteen levels are enough to tell pages apart, and a file of them is half as long.
        for (let at = 0; at < image.data.length; at += 1) image.data[at] = ((image.data[at] ?? 0) >> 4) * 17;
        context.putImageData(image, 0, 0);
        return canvas.toDataURL("image/png").split(",")[1] ?? "";
      },
      [png.toString("base64"), kept] as const,
    );
    return Buffer.from(small, "base64");
  }

  /** The share of pixels, 0 to 1, in which two small pictures differ. */
  difference(a: Buffer, b: Buffer): Promise<number> {
    return this.#page.evaluate(
      async ([texts, { width, height }, most]) => {
        const [one, other] = await Promise.all(
          texts.map(async (text) => {
            const bitmap = await createImageBitmap(
              await (await fetch(`data:image/png;base64,${text}`)).blob(),
            );
            const context = new OffscreenCanvas(width, height).getContext("2d");
            if (context === null) throw new Error("no canvas");
            context.drawImage(bitmap, 0, 0);
            return context.getImageData(0, 0, width, height).data;
          }),
        );
        if (one === undefined || other === undefined) throw new Error("no pictures");
        let differing = 0;
        for (let at = 0; at < one.length; at += 4) {
          const differs = [0, 1, 2].some(
            (channel) => Math.abs((one[at + channel] ?? 0) - (other[at + channel] ?? 0)) > most,
          );
          if (differs) differing += 1;
        }
        return differing / (width * height);
      },
      [[a.toString("base64"), b.toString("base64")], kept, mostChannelDifference] as const,
    );
  }
}

/** Shows a scene as it is pictured, and waits until everything that it asks for is there. */
export async function showPictured(
  page: Page,
  origin: string,
  scene: Scene,
  store: ShopStore,
): Promise<void> {
  await page.setViewportSize(pictureViewport);
  await showScene(page, origin, scene, store);
  await page.waitForLoadState("networkidle");
}

/** File of a reference. */
export function pictureFile(scene: Scene, theme: (typeof themes)[number]): string {
  return path.join(pictureFolder, `${scene.name}-${theme}.png`);
}
