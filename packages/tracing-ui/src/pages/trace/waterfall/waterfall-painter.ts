import { drawWaterfall } from "./draw-waterfall.ts";
import type { WaterfallPalette } from "./waterfall-palette.ts";
import { WaterfallPen } from "./waterfall-pen.ts";
import type { WaterfallScene } from "./waterfall-scene.ts";

/** Pixels drawn above and below the view. A scroll within this distance needs no redraw. */
const overscanPx = 176;

/**
 * Keeps the canvas of the waterfall up to date. The canvas is higher than the visible part and is positioned among the
 * rows, so that scrolling moves it together with the panels of details. It is redrawn, at most once a frame,
 * when the visible part leaves the canvas or an input changed.
 */
export class WaterfallPainter {
  readonly #canvas: HTMLCanvasElement;
  /** An opaque context, so that letters are smoothed as in the page; null when the browser gives no context. */
  readonly #context: CanvasRenderingContext2D | null;
  #pen: WaterfallPen | undefined;
  #scene: WaterfallScene | undefined;
  /** Pixels from the first row to the visible part. */
  #scrollTop = 0;
  /** Height of the visible part in pixels. */
  #viewHeight = 0;
  /** Row under the pointer, −1 for none. */
  #pointed = -1;
  /** Id of the requested animation frame, 0 for none. */
  #frame = 0;
  /** The part of the waterfall that the canvas shows now. */
  #drawn = { top: 0, height: 0 };

  /** @param canvas canvas at the top left corner of the rows */
  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
  }

  /** The pen, which measures texts; undefined before `use` has set a palette. */
  get pen(): WaterfallPen | undefined {
    return this.#pen;
  }

  /** Sets colours and fonts and redraws at once, because the rest of the page has the new theme already. */
  use(palette: WaterfallPalette): void {
    if (this.#context === null) {
      return;
    }
    this.#pen = new WaterfallPen(this.#context, palette);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#paint();
  }

  /** Sets the scene for the next frames. @param viewHeight height of the visible rows in pixels */
  show(scene: WaterfallScene, viewHeight: number): void {
    this.#scene = scene;
    this.#viewHeight = viewHeight;
    this.#ask();
  }

  /** Follows a scroll. @param scrollTop pixels from the top of the first row to the top of the visible part */
  scrollTo(scrollTop: number): void {
    this.#scrollTop = scrollTop;
    const { top, height } = this.#drawn;
    if (scrollTop < top || scrollTop + this.#viewHeight > top + height) {
      this.#ask();
    }
  }

  /** Sets the row under the pointer, −1 for none. */
  point(row: number): void {
    if (row === this.#pointed) {
      return;
    }
    this.#pointed = row;
    this.#ask();
  }

  /** Cancels the pending frame, when the component is unmounted. */
  close(): void {
    cancelAnimationFrame(this.#frame);
  }

  /** Requests a redraw in the next frame. Several requests before it cause one redraw. */
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

  /** Sets the size of the canvas, which also clears the canvas. */
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
