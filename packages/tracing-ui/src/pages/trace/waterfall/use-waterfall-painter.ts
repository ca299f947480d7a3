import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { useTheme } from "ui-kit/theme/use-theme.ts";
import { patternChoice } from "../../../components/service-patterns.ts";
import { WaterfallPainter } from "./waterfall-painter.ts";
import { readPalette } from "./waterfall-palette.ts";
import { WATERFALL_HEAD_PX } from "./waterfall-rows.ts";
import type { WaterfallScene } from "./waterfall-scene.ts";

/**
 * Draws the scene on the canvas, now and whenever it, the theme, the patterns or the screen's resolution change.
 * @param height pixels of the scroller, its head counted
 * @returns the painter; undefined before the canvas is there
 */
export function useWaterfallPainter(
  canvas: RefObject<HTMLCanvasElement | null>,
  scene: WaterfallScene,
  hues: ReadonlyMap<string, number>,
  height: number,
): WaterfallPainter | undefined {
  const [painter, setPainter] = useState<WaterfallPainter>();
  const theme = useTheme();
  const patterns = useChoice(patternChoice);
  const scale = usePixelRatio();
  useLayoutEffect(() => {
    if (canvas.current === null) {
      return;
    }
    const made = new WaterfallPainter(canvas.current);
    setPainter(made);
    return () => made.close();
  }, [canvas]);
  useEffect(() => {
    // Theme and scale are read from the page; they are named here because they change what is read.
    if (canvas.current === null || theme === undefined || scale === 0) {
      return;
    }
    painter?.use(readPalette(canvas.current, scene.trace, hues, patterns === "on"));
  }, [painter, canvas, scene.trace, hues, theme, patterns, scale]);
  useLayoutEffect(() => painter?.show(scene, height - WATERFALL_HEAD_PX), [painter, scene, height]);
  return painter;
}

/** Device pixels for each CSS pixel, kept up to date: it changes with the zoom of the page and from screen to screen. */
function usePixelRatio(): number {
  const [ratio, setRatio] = useState(window.devicePixelRatio);
  useEffect(() => {
    const query = window.matchMedia(`(resolution: ${ratio}dppx)`);
    const changed = () => setRatio(window.devicePixelRatio);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, [ratio]);
  return ratio;
}
