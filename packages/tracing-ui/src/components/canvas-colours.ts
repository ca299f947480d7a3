import "./canvas-colours.css";

/**
 * Reads colours of the theme for a canvas, which CSS cannot colour.
 * @param element  where in the page they are used; the probe is put beside it
 * @param colours  CSS colours, such as `var(--accent)`
 * @returns the same, as the canvas takes them
 */
export function canvasColours<T extends Record<string, string>>(element: HTMLElement, colours: T): T {
  return withProbe(element, (probe) => {
    const read: Record<string, string> = {};
    for (const [name, colour] of Object.entries(colours)) read[name] = colourOf(probe, colour);
    return read as T;
  });
}

/** Colours of services for a canvas, in the order of their names. @param hues degrees, from assignServiceHues */
export function serviceColours(
  element: HTMLElement,
  services: readonly string[],
  hues: ReadonlyMap<string, number>,
): string[] {
  return withProbe(element, (probe) => {
    probe.className = "service";
    return services.map((name) => {
      probe.style.setProperty("--hue", String(hues.get(name) ?? 0));
      return colourOf(probe, "var(--service)");
    });
  });
}

/** A family of fonts for a canvas. @param family a CSS value, such as `var(--mono)` */
export function canvasFont(element: HTMLElement, family: string): string {
  return withProbe(element, (probe) => {
    probe.style.fontFamily = family;
    return getComputedStyle(probe).fontFamily;
  });
}

function withProbe<T>(element: HTMLElement, read: (probe: HTMLElement) => T): T {
  const probe = document.createElement("span");
  // With forced colours every text has the system's; the variables say which of those a canvas is to take.
  probe.style.forcedColorAdjust = "none";
  element.parentElement?.append(probe);
  try {
    return read(probe);
  } finally {
    probe.remove();
  }
}

function colourOf(probe: HTMLElement, colour: string): string {
  probe.style.color = colour;
  return getComputedStyle(probe).color;
}
