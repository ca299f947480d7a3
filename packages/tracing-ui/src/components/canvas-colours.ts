import "./canvas-colours.css";

/**
 * Reads colours of the theme for a canvas, which CSS cannot colour. Do not call it for each frame: it computes page
 * styles.
 * @param element the canvas; probes are siblings of it, so that they inherit the same variables
 * @param colours CSS colours by name, such as `{ line: "var(--accent)" }`
 * @returns the computed colours by the same names, in a form that a canvas accepts
 */
export function canvasColours<T extends Record<string, string>>(element: HTMLElement, colours: T): T {
  const names = Object.keys(colours);
  const read = computedStyles(element, names, (probe, name) => {
    probe.style.color = colours[name] ?? "";
  });
  return Object.fromEntries(names.map((name, index) => [name, read[index]?.color])) as T;
}

/** Colours of services for a canvas, in the order of the service names. @param hues degrees, from service-hues.ts */
export function serviceColours(
  element: HTMLElement,
  services: readonly string[],
  hues: ReadonlyMap<string, number>,
): string[] {
  const read = computedStyles(element, services, (probe, name) => {
    probe.className = "service";
    probe.style.setProperty("--hue", String(hues.get(name) ?? 0));
    probe.style.color = "var(--service)";
  });
  return read.map(({ color }) => color);
}

/** Font families for a canvas. @param families CSS values, such as `var(--mono)` */
export function canvasFonts(element: HTMLElement, families: readonly string[]): string[] {
  const read = computedStyles(element, families, (probe, family) => {
    probe.style.fontFamily = family;
  });
  return read.map(({ fontFamily }) => fontFamily);
}

/**
 * Reads a computed text style for each of `items`. All probes are in the page together, so the browser styles it
 * only once.
 */
function computedStyles<T>(
  element: HTMLElement,
  items: readonly T[],
  dress: (probe: HTMLElement, item: T) => void,
): { color: string; fontFamily: string }[] {
  const probes = document.createElement("span");
  // With forced colours all text has system colours; the variables select the one for the canvas.
  probes.style.forcedColorAdjust = "none";
  for (const item of items) {
    const probe = document.createElement("span");
    dress(probe, item);
    probes.append(probe);
  }
  element.parentElement?.append(probes);
  const read = Array.from(probes.children, (probe) => {
    const { color, fontFamily } = getComputedStyle(probe);
    return { color, fontFamily };
  });
  probes.remove();
  return read;
}
