import { spanFlag, type Trace } from "../../trace/trace.ts";
import { wholeRange } from "./trace-view.ts";

/** Colours as the canvas takes them. */
export interface MinimapColours {
  /** By index into `trace.services`. */
  services: readonly string[];
  error: string;
}

/** Room above and below the lines, in pixels. */
const marginPx = 4;

/** Reads the theme's colours, which depend on where in the page they are used. */
export function minimapColours(
  canvas: HTMLCanvasElement,
  trace: Trace,
  hues: ReadonlyMap<string, number>,
): MinimapColours {
  const probe = document.createElement("span");
  probe.className = "service";
  canvas.parentElement?.append(probe);
  const read = (colour: string) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const services = trace.services.map((name) => {
    probe.style.setProperty("--hue", String(hues.get(name) ?? 0));
    return read("var(--service)");
  });
  const error = read("var(--error-bar)");
  probe.remove();
  return { services, error };
}

/**
 * Draws every span as a line: across by time, down by its place in the tree. Where there are more spans than
 * pixels, lines of a pixel share it, and errors are drawn last so that none is covered. Spans that would paint
 * the same pixels in the same colour as the one before are passed over: 100,000 spans cost what the area costs.
 */
export function drawMinimap(
  canvas: HTMLCanvasElement,
  trace: Trace,
  colours: MinimapColours,
  size: { width: number; height: number },
): void {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * scale);
  canvas.height = Math.round(size.height * scale);
  const context = canvas.getContext("2d");
  const count = trace.spans.length;
  if (context === null || count === 0) return;
  const total = wholeRange(trace).toUs;
  const top = marginPx * scale;
  const room = canvas.height - 2 * top;
  const pitch = Math.min(room / count, 6 * scale);
  const thickness = Math.max(scale, pitch * 0.72);
  const least = 1.5 * scale;

  const paint = (span: number) => {
    const x = Math.round(((trace.offsetUs[span] as number) / total) * canvas.width);
    const width = Math.max(least, ((trace.spanUs[span] as number) / total) * canvas.width);
    context.fillRect(Math.min(x, canvas.width - least), Math.round(top + span * pitch), width, thickness);
  };
  let before = "";
  for (let span = 0; span < count; span += 1) {
    const service = trace.service[span] as number;
    const x = Math.round(((trace.offsetUs[span] as number) / total) * canvas.width);
    const end = Math.round(
      (((trace.offsetUs[span] as number) + (trace.spanUs[span] as number)) / total) * canvas.width,
    );
    const pixels = `${service} ${Math.round(top + span * pitch)} ${x} ${end}`;
    if (pixels === before) continue;
    before = pixels;
    context.fillStyle = colours.services[service] ?? colours.error;
    paint(span);
  }
  context.fillStyle = colours.error;
  for (let span = 0; span < count; span += 1) {
    if (((trace.flags[span] as number) & spanFlag.error) !== 0) paint(span);
  }
}
