import { canvasColours, serviceColours } from "../../components/canvas-colours.ts";
import type { CriticalPath } from "../../trace/critical-path.ts";
import { spanFlag, type Trace } from "../../trace/trace.ts";
import { wholeRange } from "./trace-view.ts";

/** Colours in a form that the canvas accepts. */
export interface MinimapColours {
  /** Colour of each service, by index into `trace.services`. */
  services: readonly string[];
  /** Colour of failed spans and of their ticks. */
  error: string;
  /** Colour of the critical path. */
  path: string;
}

/**
 * Margin above and below the lines, in pixels.
 */
const marginPx = 5;
/** Height in pixels of the error tick at the lower edge, which marks a failed span of any length. */
const errorTickPx = 5;
/** Minimum distance in pixels between the lines of spans. With less room, each line shows a level of the tree. */
const leastPitchPx = 3;
/** Maximum distance from line to line, in pixels. */
const mostPitchPx = 10;

/** Reads the theme's colours for an element, because CSS variables depend on the place in the page. */
export function minimapColours(
  canvas: HTMLCanvasElement,
  trace: Trace,
  hues: ReadonlyMap<string, number>,
): MinimapColours {
  const colours = canvasColours(canvas, { error: "var(--error-bar)", path: "var(--text)" });
  return { ...colours, services: serviceColours(canvas, trace.services, hues) };
}

/** Path, colours and size of a drawn minimap. */
interface MinimapLook {
  /** The critical path. Without sections no path is drawn. */
  readonly path: CriticalPath;
  /** Colours of the theme, in a form that the canvas accepts. */
  readonly colours: MinimapColours;
  /** Width and height of the canvas in CSS pixels. */
  readonly size: { width: number; height: number };
}

/**
 * Draws every span as a line: horizontal position by time, vertical position by place in the tree. With too many spans
 * for that, a line is a level of the tree. Errors are drawn last, so that none is covered, and each error has a
 * tick at the lower edge. A span that would paint the same pixels as the previous span is skipped.
 * Cost: two passes over the spans.
 */
export function drawMinimap(
  canvas: HTMLCanvasElement,
  trace: Trace,
  { path, colours, size }: MinimapLook,
): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * scale);
  canvas.height = Math.round(size.height * scale);
  const context = canvas.getContext("2d");
  const count = trace.spans.length;
  if (context === null || count === 0) {
    return;
  }

  const room = size.height - 2 * marginPx - errorTickPx;
  const byLevel = count * leastPitchPx > room;
  const pitch = Math.min(room / (byLevel ? trace.levels : count), mostPitchPx) * scale;
  const thickness = Math.max(scale, Math.round(pitch * 0.72));
  const least = 1.5 * scale;
  const perUs = canvas.width / wholeRange(trace).toUs;
  const leftOf = (span: number) =>
    Math.min(Math.round((trace.offsetUs[span] as number) * perUs), canvas.width - least);
  const topOf = (span: number) =>
    Math.round(marginPx * scale + (byLevel ? (trace.depth[span] as number) : span) * pitch);

  let beforeX = -1;
  let beforeY = -1;
  let beforeWidth = -1;
  for (let span = 0; span < count; span += 1) {
    const x = leftOf(span);
    const y = topOf(span);
    const width = Math.max(least, Math.round((trace.spanUs[span] as number) * perUs));
    if (x === beforeX && y === beforeY && width <= beforeWidth) {
      continue;
    }
    beforeX = x;
    beforeY = y;
    beforeWidth = width;
    context.fillStyle = colours.services[trace.service[span] as number] ?? colours.error;
    context.fillRect(x, y, width, thickness);
  }
  context.fillStyle = colours.error;
  for (let span = 0; span < count; span += 1) {
    if (((trace.flags[span] as number) & spanFlag.error) === 0) {
      continue;
    }
    const x = leftOf(span);
    context.fillRect(x, topOf(span), Math.max(least, (trace.spanUs[span] as number) * perUs), thickness);
    context.fillRect(x, canvas.height - errorTickPx * scale, 2 * scale, errorTickPx * scale);
  }
  drawPath(context, path, colours.path, { perUs, topOf: (span) => topOf(span) + thickness, height: scale });
}

/** Draws the critical path along the lower edge of the lines of its spans, with steps from line to line. */
function drawPath(
  context: CanvasRenderingContext2D,
  { sections }: CriticalPath,
  colour: string,
  place: { perUs: number; topOf: (span: number) => number; height: number },
): void {
  context.fillStyle = colour;
  const first = sections[0];
  if (first === undefined) {
    return;
  }
  let beforeY = place.topOf(first.span);
  // A long path has many sections in one column of pixels. Their whole vertical range is drawn once.
  let column = Math.round(first.fromUs * place.perUs);
  let least = beforeY;
  let most = beforeY;
  const step = () => context.fillRect(column, least, place.height, most - least + place.height);
  for (const { span, fromUs, toUs } of sections) {
    const x = Math.round(fromUs * place.perUs);
    const y = place.topOf(span);
    if (x !== column) {
      step();
      column = x;
      least = Math.min(beforeY, y);
      most = Math.max(beforeY, y);
    }
    least = Math.min(least, y);
    most = Math.max(most, y);
    const width = Math.round((toUs - fromUs) * place.perUs);
    if (width > place.height) {
      context.fillRect(x, y, width, place.height);
    }
    beforeY = y;
  }
  step();
}
