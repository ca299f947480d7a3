/**
 * Reads colours of the theme for a canvas, which CSS cannot colour.
 * @param element  where in the page they are used; the probe is put beside it
 * @param colours  CSS colours, such as `var(--accent)`
 * @returns the same, as the canvas takes them
 */
export function canvasColours<T extends Record<string, string>>(element: HTMLElement, colours: T): T {
  const probe = document.createElement("span");
  element.parentElement?.append(probe);
  const read: Record<string, string> = {};
  for (const [name, colour] of Object.entries(colours)) {
    probe.style.color = colour;
    read[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return read as T;
}
