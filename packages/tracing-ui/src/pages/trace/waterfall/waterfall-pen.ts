import { type IconName, iconPaths } from "ui-kit/components/icon-paths.ts";
import { FittedText, type FontName } from "./fitted-text.ts";
import type { WaterfallPalette } from "./waterfall-palette.ts";
import { WATERFALL_ROW_PX } from "./waterfall-rows.ts";

/** Letter spacing of monospaced fonts. The CSS class `.mono` must have the same. */
const monoSpacing = "-0.24px";

/** A place on the canvas, in CSS pixels. */
interface Box {
  /** Left edge. */
  x: number;
  /** Top edge. */
  y: number;
  width: number;
  height: number;
}

/** Draws texts, boxes and icons on a canvas, in CSS pixels, crisp on any screen. */
export class WaterfallPen {
  readonly context: CanvasRenderingContext2D;
  /** Colours and fonts. Other colours or fonts need a new pen. */
  readonly palette: WaterfallPalette;
  /** Widths of texts in these fonts. */
  readonly texts: FittedText;
  /** Pixels from the top of a row to the baseline, by font. */
  readonly #baselines = new Map<FontName, number>();
  /** Cached icons as paths: parsing an icon takes longer than drawing it. */
  readonly #icons = new Map<IconName, Path2D>();
  /** The current font of the context. Setting a font is expensive, so it is set only on a change. */
  #font: FontName | undefined;

  constructor(context: CanvasRenderingContext2D, palette: WaterfallPalette) {
    this.context = context;
    this.palette = palette;
    this.texts = new FittedText((text, font) => {
      this.#use(font);
      return context.measureText(text).width;
    });
  }

  /** Must be called after the canvas was resized, because the context then loses its font. */
  reset(): void {
    this.#font = undefined;
    this.context.textBaseline = "alphabetic";
    this.context.direction = "ltr";
  }

  /** Runs `draw` with its own clips and transforms, which are restored afterwards. */
  apart(draw: () => void): void {
    this.context.save();
    draw();
    this.context.restore();
    // The context's font is restored as well, so the cached font is unknown.
    this.#font = undefined;
  }

  /** Draws with a clip to a box. */
  within({ x, y, width, height }: Box, draw: () => void): void {
    this.apart(() => {
      this.context.beginPath();
      this.context.rect(x, y, width, height);
      this.context.clip();
      draw();
    });
  }

  /** The nearest coordinate at which an edge is sharp. */
  snap(px: number): number {
    return Math.round(px * this.palette.scale) / this.palette.scale;
  }

  /** Fills a box that is at least `least` pixels wide. Its left and right edges are snapped, so that they are sharp. */
  box({ x, y, width, height }: Box, colour: string | CanvasPattern, least = 0): void {
    const left = this.snap(x);
    this.context.fillStyle = colour;
    this.context.fillRect(left, y, Math.max(least, this.snap(x + width) - left), height);
  }

  /** Fills a box with round corners. Its edges are snapped too. */
  roundBox({ x, y, width, height }: Box, radius: number, colour: string | CanvasPattern): void {
    const { context } = this;
    const left = this.snap(x);
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(left, y, this.snap(x + width) - left, height, radius);
    context.fill();
  }

  /** Draws a text in the middle of a row, with its own text direction. @param top top edge of the row in pixels */
  text(text: string, { x, top }: { x: number; top: number }, font: FontName, colour: string): void {
    if (text === "") {
      return;
    }
    this.#use(font);
    this.context.fillStyle = colour;
    this.context.fillText(text, x, top + this.#baseline(font));
  }

  /**
   * Draws an icon with its top left corner at a point. @param turned true rotates by 90°, as for the caret of an
   * unfolded span
   */
  icon(
    name: IconName,
    { x, y }: { x: number; y: number },
    colour: string,
    { turned = false, size = 16 } = {},
  ): void {
    const { context } = this;
    let path = this.#icons.get(name);
    if (path === undefined) {
      path = new Path2D(iconPaths[name]);
      this.#icons.set(name, path);
    }
    context.save();
    context.translate(x, y);
    context.scale(size / 16, size / 16);
    if (turned) {
      context.transform(0, 1, -1, 0, 16, 0);
    }
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.lineCap = "round";
    context.lineJoin = "round";
    context.stroke(path);
    context.restore();
  }

  /** Sets the font, unless the context has it. */
  #use(font: FontName): void {
    if (this.#font === font) {
      return;
    }
    this.#font = font;
    this.context.font = this.palette.fonts[font];
    this.context.letterSpacing = font === "mono" || font === "monoBold" ? monoSpacing : "0px";
  }

  /** Baseline of a font, in pixels from the top of a row, so that texts of all fonts are aligned. */
  #baseline(font: FontName): number {
    let baseline = this.#baselines.get(font);
    if (baseline === undefined) {
      const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } =
        this.context.measureText("x");
      baseline = Math.round(
        (WATERFALL_ROW_PX - Math.round(ascent) - Math.round(descent)) / 2 + Math.round(ascent),
      );
      this.#baselines.set(font, baseline);
    }
    return baseline;
  }
}
