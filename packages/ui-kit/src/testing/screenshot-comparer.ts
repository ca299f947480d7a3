import type { BrowserContext, Locator, Page } from "playwright-core";

/**
 * Size of a stored picture: about a third of 1280 × 800 pixels, so that different smoothing of letters does not
 * matter.
 */
const kept = { width: 400, height: 250 };

/** A pixel counts as different when a colour channel (0 to 255) differs by more than this. */
const mostChannelDifference = 34;

/** Takes, shrinks and compares pictures in a separate browser page, which decodes PNG and scales well. */
export class ScreenshotComparer {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Opens the separate page, which closes with the context. */
  static async open(context: BrowserContext): Promise<ScreenshotComparer> {
    return new ScreenshotComparer(await context.newPage());
  }

  /** The visible page as a small PNG. @param mask areas that are painted over, because they always differ */
  async take(page: Page, mask: readonly Locator[] = []): Promise<Buffer> {
    const png = await page.screenshot({ animations: "disabled", mask: [...mask], maskColor: "#808080" });
    const small = await this.#page.evaluate(
      async ([text, { width, height }]) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        const context = canvas.getContext("2d");
        if (context === null) {
          throw new Error("no canvas");
        }
        context.imageSmoothingQuality = "high";
        context.drawImage(bitmap, 0, 0, width, height);
        const image = context.getImageData(0, 0, width, height);
        // Sixteen levels of colour are enough to distinguish pages, and halve the file size.
        for (let at = 0; at < image.data.length; at += 1) {
          image.data[at] = ((image.data[at] ?? 0) >> 4) * 17;
        }
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
            if (context === null) {
              throw new Error("no canvas");
            }
            context.drawImage(bitmap, 0, 0);
            return context.getImageData(0, 0, width, height).data;
          }),
        );
        if (one === undefined || other === undefined) {
          throw new Error("no pictures");
        }
        let differing = 0;
        for (let at = 0; at < one.length; at += 4) {
          const differs = [0, 1, 2].some(
            (channel) => Math.abs((one[at + channel] ?? 0) - (other[at + channel] ?? 0)) > most,
          );
          if (differs) {
            differing += 1;
          }
        }
        return differing / (width * height);
      },
      [[a.toString("base64"), b.toString("base64")], kept, mostChannelDifference] as const,
    );
  }
}
