import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { useTheme } from "ui-kit/theme/use-theme.ts";
import { patternChoice } from "../../../components/service-patterns.ts";
import { WaterfallPainter } from "./waterfall-painter.ts";
import { readPalette } from "./waterfall-palette.ts";
import { WATERFALL_HEAD_PX } from "./waterfall-rows.ts";
import type { WaterfallScene } from "./waterfall-scene.ts";

/**
 * Draws the scene on the canvas, now and after each change of scene, theme, patterns or screen resolution.
 * @param height height of the scroller in pixels, including its head
 * @returns the painter; undefined before the canvas exists
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
    // The palette is read from the page. Theme and scale are named so that the effect runs again when they change.
    if (canvas.current === null || theme === undefined || scale === 0) {
      return;
    }
    painter?.use(readPalette(canvas.current, scene.trace, hues, patterns === "on"));
  }, [painter, canvas, scene.trace, hues, theme, patterns, scale]);
  useLayoutEffect(() => painter?.show(scene, height - WATERFALL_HEAD_PX), [painter, scene, height]);
  return painter;
}

/** Device pixels for each CSS pixel. The hook follows changes by page zoom and by a move to another screen. */
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
