import { canvasColours, canvasFonts, serviceColours } from "../../../components/canvas-colours.ts";
import { idleTile, patternTile } from "../../../components/pattern-tiles.ts";
import { patternNumber } from "../../../components/service-patterns.ts";
import type { Trace } from "../../../trace/trace.ts";
import type { FontName } from "./fitted-text.ts";

/** Colours of the waterfall, as CSS values. */
const colours = {
  panel: "var(--panel)",
  text: "var(--text)",
  text2: "var(--text-2)",
  text3: "var(--text-3)",
  line: "var(--line)",
  tick: "color-mix(in oklab, var(--line) 60%, transparent)",
  hover: "color-mix(in oklab, var(--hover) 70%, transparent)",
  selected: "var(--accent-soft)",
  accent: "var(--accent)",
  chip: "var(--sunken)",
  figures: "color-mix(in oklab, var(--panel) 88%, transparent)",
  error: "var(--error)",
  errorBar: "var(--error-bar)",
  errorSoft: "var(--error-soft)",
  warning: "var(--warning)",
  idle: "color-mix(in oklab, var(--line-strong) 60%, transparent)",
  ink: "var(--pattern-ink, transparent)",
};

/** Colours and styles of the waterfall in the current theme. */
export interface WaterfallPalette {
  /** Colours by use, in a form that the canvas accepts. */
  colours: typeof colours;
  /** Colours of services, by index into `trace.services`. */
  services: readonly string[];
  /** Patterns over the colours, by index into `trace.services`; undefined for a service without a pattern. */
  patterns: readonly (CanvasPattern | undefined)[];
  /** Hatching of folded idle time. */
  idle: CanvasPattern | undefined;
  /** Fonts by use, in a form that the canvas accepts. */
  fonts: Readonly<Record<FontName, string>>;
  /** Device pixels for each CSS pixel. */
  scale: number;
}

/**
 * Reads the theme's colours and fonts.
 * @param element  element whose CSS variables apply
 * @param patterns true when the user has chosen patterns
 */
export function readPalette(
  element: HTMLElement,
  trace: Trace,
  hues: ReadonlyMap<string, number>,
  patterns: boolean,
): WaterfallPalette {
  const scale = window.devicePixelRatio || 1;
  const read = canvasColours(element, colours);
  const [sans, mono] = canvasFonts(element, ["var(--sans)", "var(--mono)"]);
  return {
    colours: read,
    services: serviceColours(element, trace.services, hues),
    patterns: trace.services.map((name) =>
      patternTile(patternNumber(hues.get(name) ?? 0, patterns), read.ink, scale),
    ),
    idle: idleTile(read.chip, read.idle, scale),
    fonts: {
      plain: `400 13px ${sans}`,
      bold: `600 13px ${sans}`,
      small: `400 12px ${sans}`,
      large: `400 15px ${sans}`,
      mono: `400 12px ${mono}`,
      monoBold: `600 12px ${mono}`,
    },
    scale,
  };
}
