import { drawWaterfall } from "./draw-waterfall.ts";
import type { WaterfallPalette } from "./waterfall-palette.ts";
import { WaterfallPen } from "./waterfall-pen.ts";
import type { WaterfallScene } from "./waterfall-scene.ts";

/** Pixels drawn above and below what is in view: so much can be scrolled before anything is drawn again. */
const overscanPx = 176;

/**
 * Keeps the canvas of the waterfall up to date. The canvas is higher than the visible part and lies among the
 * rows, so that scrolling moves it together with the panels of details. It is redrawn, at most once a frame,
 * when the visible part leaves it or something changed.
 */
export class WaterfallPainter {
  readonly #canvas: HTMLCanvasElement;
  /** Opaque, so that letters are smoothed as elsewhere; null where the browser gives no context. */
  readonly #context: CanvasRenderingContext2D | null;
  #pen: WaterfallPen | undefined;
  #scene: WaterfallScene | undefined;
  /** Pixels from the first row to the visible part. */
  #scrollTop = 0;
  /** Height of the visible part in pixels. */
  #viewHeight = 0;
  /** Row under the pointer, −1 for none. */
  #pointed = -1;
  /** Number of the frame that was asked for, 0 for none. */
  #frame = 0;
  /** The stretch that the canvas shows now. */
  #drawn = { top: 0, height: 0 };

  /** @param canvas lies at the top left corner of the rows */
  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
  }

  /** The pen, which knows how wide texts are; undefined before there is a palette. */
  get pen(): WaterfallPen | undefined {
    return this.#pen;
  }

  /** Draws with other colours or fonts, at once: the rest of the page has them already, also where it is not in view. */
  use(palette: WaterfallPalette): void {
    if (this.#context === null) {
      return;
    }
    this.#pen = new WaterfallPen(this.#context, palette);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#paint();
  }

  /** Draws another scene from now on. @param viewHeight pixels of rows in view */
  show(scene: WaterfallScene, viewHeight: number): void {
    this.#scene = scene;
    this.#viewHeight = viewHeight;
    this.#ask();
  }

  /** Follows a scroll. @param scrollTop pixels from the top of the first row to the top of what is in view */
  scrollTo(scrollTop: number): void {
    this.#scrollTop = scrollTop;
    const { top, height } = this.#drawn;
    if (scrollTop < top || scrollTop + this.#viewHeight > top + height) {
      this.#ask();
    }
  }

  /** Says which row the pointer is on, −1 for none. */
  point(row: number): void {
    if (row === this.#pointed) {
      return;
    }
    this.#pointed = row;
    this.#ask();
  }

  /** Draws no more. */
  close(): void {
    cancelAnimationFrame(this.#frame);
  }

  /** Draws in the next frame; several requests before it draw once. */
  #ask(): void {
    if (this.#frame !== 0) {
      return;
    }
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  /**
   * Draws the visible part and `overscanPx` around it. Nothing happens before there is a scene, a palette
   * and a size.
   */
  #paint(): void {
    const scene = this.#scene;
    const pen = this.#pen;
    if (scene === undefined || pen === undefined || scene.width === 0 || this.#viewHeight <= 0) {
      return;
    }
    const whole = Math.max(scene.rowWindow.height, this.#viewHeight);
    const top = Math.max(0, Math.floor(this.#scrollTop) - overscanPx);
    const height = Math.min(whole - top, Math.ceil(this.#viewHeight) + 2 * overscanPx);
    if (height <= 0) {
      return;
    }
    this.#drawn = { top, height };
    this.#fit(scene.width, height, pen);
    this.#canvas.style.transform = `translateY(${top}px)`;
    drawWaterfall(pen, scene, this.#drawn, this.#pointed);
  }

  /** Gives the canvas its size, which also empties it. */
  #fit(width: number, height: number, pen: WaterfallPen): void {
    const canvas = this.#canvas;
    const { scale } = pen.palette;
    const deviceWidth = Math.round(width * scale);
    const deviceHeight = Math.round(height * scale);
    if (canvas.width !== deviceWidth || canvas.height !== deviceHeight) {
      canvas.width = deviceWidth;
      canvas.height = deviceHeight;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    pen.reset();
    pen.context.setTransform(scale, 0, 0, scale, 0, 0);
  }
}
