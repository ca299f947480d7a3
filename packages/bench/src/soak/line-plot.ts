/** One curve of a panel. */
export interface Line {
  readonly name: string;
  readonly points: readonly { readonly seconds: number; readonly value: number }[];
}

/** A frame with curves that share a scale, which begins at zero. */
export interface Panel {
  readonly title: string;
  /** Unit of the values; empty for counts. */
  readonly unit: string;
  readonly lines: readonly Line[];
}

const width = 860;
const panelHeight = 190;
const frame = { left: 64, right: 150, top: 30, bottom: 26 } as const;
/** Colours that people with colour blindness can distinguish; each has a second shade for dark backgrounds. */
const colours = [
  ["#1f6feb", "#79b8ff"],
  ["#c4500a", "#f0a35e"],
  ["#1a7f4b", "#5cd39a"],
  ["#8b3fc7", "#c79bf2"],
  ["#9a6700", "#e3c04d"],
  ["#b8336a", "#f08bb4"],
] as const;

/**
 * Draws panels below each other with a common time axis, as one SVG that uses the reader's choice of light or dark.
 * @param title shown above, and read out by screen readers
 */
export function linePlot(title: string, panels: readonly Panel[]): string {
  const height = 34 + panels.length * panelHeight;
  const last = Math.max(
    1,
    ...panels.flatMap(({ lines }) => lines.map(({ points }) => points.at(-1)?.seconds ?? 0)),
  );
  const rule = (shade: 0 | 1) => colours.map((pair, index) => `.l${index}{--c:${pair[shade]}}`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
svg{--ink:#1f2328;--soft:#59636e;--grid:#d8dee4;--paper:#fff;font:12px system-ui,sans-serif;background:var(--paper)}
${rule(0)}
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--grid:#30363d;--paper:#0d1117}${rule(1)}}
rect{fill:var(--paper)}text{fill:var(--soft)}.t{fill:var(--ink);font-weight:600}.g{stroke:var(--grid)}
path{fill:none;stroke:var(--c);stroke-width:1.5;stroke-linejoin:round}.n{fill:var(--c)}
</style>
<rect width="${width}" height="${height}"/>
<text class="t" x="${frame.left}" y="22" font-size="14">${escaped(title)}</text>
${panels.map((panel, index) => drawPanel(panel, 34 + index * panelHeight, last)).join("\n")}
</svg>
`;
}

function drawPanel({ title, unit, lines }: Panel, top: number, lastSeconds: number): string {
  const most = Math.max(...lines.flatMap(({ points }) => points.map(({ value }) => value)), 0);
  const step = niceStep(most / 4);
  const scale = Math.max(step * Math.ceil(most / step), step);
  const inner = {
    top: top + frame.top,
    bottom: top + panelHeight - frame.bottom,
    right: width - frame.right,
  };
  const x = (seconds: number) => frame.left + (seconds / lastSeconds) * (inner.right - frame.left);
  const y = (value: number) => inner.bottom - (value / scale) * (inner.bottom - inner.top);
  const parts = [
    `<text class="t" x="${frame.left}" y="${top + 20}">${escaped(unit === "" ? title : `${title}, ${unit}`)}</text>`,
  ];
  for (let value = 0; value <= scale + step / 2; value += step) {
    const at = round(y(value));
    parts.push(
      `<line class="g" x1="${frame.left}" x2="${inner.right}" y1="${at}" y2="${at}"/>`,
      `<text x="${frame.left - 6}" y="${at + 4}" text-anchor="end">${Number(value.toPrecision(6))}</text>`,
    );
  }
  const minutes = niceStep(lastSeconds / 60 / 6);
  for (let minute = 0; minute <= lastSeconds / 60 + 1e-9; minute += minutes) {
    const text = `${Number(minute.toPrecision(6))} min`;
    parts.push(
      `<text x="${round(x(minute * 60))}" y="${inner.bottom + 16}" text-anchor="middle">${text}</text>`,
    );
  }
  for (const [index, { points }] of lines.entries()) {
    const path = points.map(({ seconds, value }) => `${round(x(seconds))} ${round(y(value))}`).join("L");
    if (path !== "") {
      parts.push(`<path class="l${index % colours.length}" d="M${path}"/>`);
    }
  }
  for (const { name, index, at } of labels(lines, y, inner)) {
    parts.push(
      `<text class="n l${index % colours.length}" x="${inner.right + 8}" y="${round(at + 4)}">${escaped(name)}</text>`,
    );
  }
  return parts.join("\n");
}

/** Names next to the ends of their curves, moved apart when they would overlap. */
function labels(
  lines: readonly Line[],
  y: (value: number) => number,
  inner: { readonly top: number; readonly bottom: number },
): { name: string; index: number; at: number }[] {
  const apart = 14;
  const placed = lines
    .map(({ name, points }, index) => ({ name, index, at: y(points.at(-1)?.value ?? 0) }))
    .sort((a, b) => a.at - b.at);
  let free = inner.top;
  for (const label of placed) {
    label.at = Math.max(label.at, free);
    free = label.at + apart;
  }
  let limit = inner.bottom;
  for (const label of placed.toReversed()) {
    label.at = Math.min(label.at, limit);
    limit = label.at - apart;
  }
  return placed;
}

/** 1, 2 or 5 times a power of ten, not below `least`. */
function niceStep(least: number): number {
  if (least <= 0) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
