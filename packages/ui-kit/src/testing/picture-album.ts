import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { ScreenshotComparer } from "./screenshot-comparer.ts";

/** Size of the browser window for pictures, in pixels. */
export const pictureViewport = { width: 1280, height: 800 };

/** Largest share of pixels whose colour may differ from the reference. */
export const mostDifference = 0.004;

/** Largest difference of a text's width in pixels: less than a letter. */
const mostFontDifference = 0.5;

/** Milliseconds to wait until a page equals its reference. On a busy machine a page draws its last rows late. */
const settleMs = 5_000;

const themes = ["light", "dark"] as const;

/** Widths of texts with the page's fonts, in pixels: two machines with equal widths draw the same letters. */
interface FontWidths {
  sans: number;
  mono: number;
}

/** Reference pictures of an app's pages, two for each name, and the widths of texts when the pictures were taken. */
export class PictureAlbum {
  readonly #folder: string;
  readonly #seenFolder: string;

  /**
   * @param root folder of the app's package: references are in `test/pictures`, differing pictures go to
   * `coverage/pictures`
   */
  constructor(root: string) {
    this.#folder = path.join(root, "test/pictures");
    this.#seenFolder = path.join(root, "coverage/pictures");
  }

  /** True when this browser draws the page with the fonts of the references. With other fonts every picture differs. */
  async hasFontsOf(page: Page): Promise<boolean> {
    const wanted = JSON.parse(await readFile(this.#fontsFile, "utf8")) as FontWidths;
    const here = await fontWidths(page);
    return (["sans", "mono"] as const).every(
      (family) => Math.abs(here[family] - wanted[family]) <= mostFontDifference,
    );
  }

  /** Stores pictures of the page as the references of a name. @param mask areas that are painted over */
  async keep(page: Page, name: string, mask?: readonly Locator[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const desk = await ScreenshotComparer.open(page.context());
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await writeFile(this.#file(name, theme), await desk.take(page, mask));
    }
    await writeFile(this.#fontsFile, `${JSON.stringify(await fontWidths(page), undefined, 2)}\n`);
  }

  /**
   * Compares the page with the references of a name. Repeats the comparison for up to `settleMs`, while the page may
   * still be drawing.
   * @param mask areas that are painted over, the same as in the references
   * @returns a sentence for each theme whose picture differs; empty without a difference
   */
  async complaints(page: Page, name: string, mask?: readonly Locator[]): Promise<string[]> {
    const complaints: string[] = [];
    const desk = await ScreenshotComparer.open(page.context());
    for (const theme of themes) {
      const file = this.#file(name, theme);
      if (!existsSync(file)) {
        complaints.push(`${file} is missing: node test/keep-pictures.ts ${name} takes it`);
        continue;
      }
      await page.emulateMedia({ colorScheme: theme });
      const reference = await readFile(file);
      const deadline = performance.now() + settleMs;
      let picture: Buffer = reference;
      let difference = 1;
      do {
        picture = await desk.take(page, mask);
        difference = await desk.difference(picture, reference);
      } while (difference > mostDifference && performance.now() < deadline);
      if (difference <= mostDifference) {
        continue;
      }
      await mkdir(this.#seenFolder, { recursive: true });
      const seen = path.join(this.#seenFolder, path.basename(file));
      await writeFile(seen, picture);
      complaints.push(
        `${(100 * difference).toFixed(2)} % of ${path.basename(file)} differs: look at ${seen}; if it is as it shall be, node test/keep-pictures.ts ${name}`,
      );
    }
    return complaints;
  }

  get #fontsFile(): string {
    return path.join(this.#folder, "fonts.json");
  }

  #file(name: string, theme: (typeof themes)[number]): string {
    return path.join(this.#folder, `${name}-${theme}.png`);
  }
}

/** Measures texts in the page's two families, plain and bold together. */
function fontWidths(page: Page): Promise<FontWidths> {
  return page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d");
    if (context === null) {
      throw new Error("no canvas");
    }
    const style = getComputedStyle(document.documentElement);
    const width = (family: string) =>
      ["13px", "600 15px"].reduce((sum, font) => {
        context.font = `${font} ${style.getPropertyValue(family)}`;
        return sum + context.measureText("Sphinx of black quartz, judge my vow — 0123456789 µs ≥ ×").width;
      }, 0);
    return { sans: width("--sans"), mono: width("--mono") };
  });
}
