import { formatDuration } from "ui-kit/format/format-duration.ts";
import { percentileText } from "../../../api/trace-peers.ts";
import type { SiblingRun } from "../../../trace/sibling-runs.ts";
import { spanFlag } from "../../../trace/trace.ts";
import { dimmedAlpha } from "./draw-row-name.ts";
import type { WaterfallPen } from "./waterfall-pen.ts";
import { foldedRunFrom, isDimmed, peersOf, type WaterfallScene } from "./waterfall-scene.ts";

/** Percentile from which a span counts as slow; its percentile text then has another colour. */
const slowFrom = 0.95;
/** Maximum number of event marks drawn on one bar. Later events have no mark. */
const mostEvents = 24;
/** Maximum number of sections of the critical path drawn on one bar. Later sections are not drawn. */
const mostSections = 100;
/** Pixels from the top of the row to the bar. */
const barTop = 5;
/** Height of a bar in pixels. */
const barHeight = 12;

/**
 * Draws the part of a row on the time axis: bar, events, critical path, duration, percentile. A bar outside the
 * visible range is drawn as an arrow towards it.
 * @param top top edge of the row, in pixels
 */
export function drawRowLane(pen: WaterfallPen, scene: WaterfallScene, span: number, top: number): void {
  const { trace, view, nameWidth, laneWidth } = scene;
  const run = foldedRunFrom(scene, span);
  const startUs = run?.startUs ?? (trace.offsetUs[span] as number);
  const endUs = run?.endUs ?? startUs + (trace.spanUs[span] as number);
  const perUs = laneWidth / (view.range.toUs - view.range.fromUs);
  // Clip the bar slightly outside the lane: canvas would not draw a bar a million times wider than the window.
  const left = nameWidth + Math.max(-8, (startUs - view.range.fromUs) * perUs);
  const end = nameWidth + Math.min(laneWidth, (endUs - view.range.fromUs) * perUs);
  const dimmed = isDimmed(scene, span);
  if (end < nameWidth) {
    pen.text("‹", { x: nameWidth + 6, top }, "large", pen.palette.colours.text3);
  } else if (left > nameWidth + laneWidth) {
    const x = nameWidth + laneWidth - 6 - pen.texts.width("›", "large");
    pen.text("›", { x, top }, "large", pen.palette.colours.text3);
  } else if (run !== undefined) {
    drawRun(pen, scene, run, { left, end, top, dimmed });
  } else {
    drawSpan(pen, scene, span, { left, end, top, dimmed, perUs });
  }
  if (run === undefined) {
    drawRank(pen, scene, span, top);
  }
}

/** Position of a bar, in pixels of the canvas. */
interface BarPlace {
  /** Left edge of the bar. */
  left: number;
  /** Right edge of the bar. */
  end: number;
  /** Top of the row. */
  top: number;
  /** True when the filter does not match the span. */
  dimmed: boolean;
}

/**
 * Draws the bar of one span: colour, pattern, critical path along the lower edge, pins of events above, and the
 * duration after it.
 */
function drawSpan(
  pen: WaterfallPen,
  { trace, path, view, nameWidth, laneWidth }: WaterfallScene,
  span: number,
  { left, end, top, dimmed, perUs }: BarPlace & { perUs: number },
): void {
  const { context, palette } = pen;
  const { colours } = palette;
  const service = trace.service[span] as number;
  const failed = ((trace.flags[span] as number) & spanFlag.error) !== 0;
  const width = Math.max(2, end - left);
  const xOf = (us: number) => nameWidth + (us - view.range.fromUs) * perUs;
  if (dimmed) {
    context.globalAlpha = dimmedAlpha;
  }
  pen.roundBox(
    { x: left, y: top + barTop, width, height: barHeight },
    2,
    failed ? colours.errorBar : (palette.services[service] ?? ""),
  );
  const pattern = failed ? undefined : palette.patterns[service];
  if (pattern !== undefined) {
    pen.roundBox({ x: left, y: top + barTop, width, height: barHeight }, 2, pattern);
  }
  // The critical path is drawn along the lower edge of the bars.
  const sections = path.bySpan.get(span);
  const drawn = Math.min(sections?.length ?? 0, mostSections);
  for (let index = 0; index < drawn; index += 1) {
    const { fromUs = 0, toUs = 0 } = sections?.[index] ?? {};
    const from = Math.max(nameWidth, xOf(fromUs));
    const to = Math.min(nameWidth + laneWidth, xOf(toUs));
    if (to >= nameWidth && from <= nameWidth + laneWidth) {
      pen.box({ x: from, y: top + 18, width: to - from, height: 2 }, colours.text, 1);
    }
  }
  context.globalAlpha = 1;
  // Pins are above the bar, so that events do not hide a short bar. Their position is relative to the span's start,
  // because the drawn trace may have folded idle time before the span.
  const logs = trace.spans[span]?.logs;
  const drawnUs = (trace.offsetUs[span] as number) - (trace.spans[span]?.startTime ?? 0);
  for (let index = 0; index < Math.min(logs?.length ?? 0, mostEvents); index += 1) {
    const x = xOf((logs?.[index]?.timestamp ?? 0) + drawnUs);
    if (x >= nameWidth && x <= nameWidth + laneWidth) {
      pen.box({ x: x - 1, y: top + 1, width: 2, height: 4 }, colours.text2);
    }
  }
  const { figure, unit } = formatDuration(trace.spanUs[span] as number);
  const x = Math.max(nameWidth, end) + 7;
  pen.text(figure, { x, top }, "mono", dimmed ? colours.text3 : failed ? colours.error : colours.text2);
  pen.text(unit, { x: x + pen.texts.width(`${figure}\u00a0`, "mono"), top }, "mono", colours.text3);
}

/**
 * Draws the bar of a folded run: stripes instead of a solid bar, with the median and the 95th percentile of the
 * durations of its repeats.
 */
function drawRun(
  pen: WaterfallPen,
  { trace, nameWidth, laneWidth }: WaterfallScene,
  run: SiblingRun,
  { left, end, top, dimmed }: BarPlace,
): void {
  const { context, palette, texts } = pen;
  const { colours } = palette;
  const colour = palette.services[trace.service[run.head] as number] ?? "";
  const share = dimmed ? dimmedAlpha : 1;
  const width = Math.max(3, end - left);
  pen.apart(() => {
    context.beginPath();
    context.roundRect(pen.snap(left), top + barTop, width, barHeight, 2);
    context.clip();
    context.globalAlpha = 0.22 * share;
    pen.box({ x: left, y: top + barTop, width, height: barHeight }, colour);
    context.globalAlpha = 0.42 * share;
    for (let x = left; x < left + width; x += 5) {
      pen.box({ x, y: top + barTop, width: 3, height: barHeight }, colour);
    }
  });

  const parts = [
    { text: "p50 ", colour: colours.text3, font: "small" as const },
    { text: formatDuration(run.p50Us).figure, colour: colours.text, font: "mono" as const },
    { text: `\u00a0${formatDuration(run.p50Us).unit} `, colour: colours.text3, font: "mono" as const },
    { text: "p95 ", colour: colours.text3, font: "small" as const },
    { text: formatDuration(run.p95Us).figure, colour: colours.text, font: "mono" as const },
    { text: `\u00a0${formatDuration(run.p95Us).unit}`, colour: colours.text3, font: "mono" as const },
  ];
  const wide = 10 + parts.reduce((sum, { text, font }) => sum + texts.width(text, font), 0);
  // The text is on a wide bar; otherwise after the bar, or before a bar that ends at the right edge.
  let x = Math.max(nameWidth, left) + 8;
  if (end - left <= 0.3 * laneWidth) {
    x = end < nameWidth + 0.65 * laneWidth ? Math.max(nameWidth, end) + 4 : left - 4 - wide;
  }
  pen.roundBox({ x, y: top + 3, width: wide, height: 16 }, 3, colours.figures);
  x += 5;
  for (const { text, colour: ink, font } of parts) {
    pen.text(text, { x, top }, font, ink);
    x += texts.width(text, font);
  }
}

/** Draws the percentile rank of the span among its peers, at the right edge. */
function drawRank(pen: WaterfallPen, scene: WaterfallScene, span: number, top: number): void {
  const peers = peersOf(scene, span);
  if (peers === undefined) {
    return;
  }
  const { colours } = pen.palette;
  const text = percentileText(peers.percentile);
  const slow = peers.percentile >= slowFrom;
  const font = slow ? "monoBold" : "mono";
  pen.text(
    text,
    { x: scene.width - 8 - pen.texts.width(text, font), top },
    font,
    slow ? colours.text : colours.text3,
  );
}
