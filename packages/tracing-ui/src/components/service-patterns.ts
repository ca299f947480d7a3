import "./service-patterns.css";
import { serviceHues } from "ui-kit/theme/service-hues.ts";
import { storedChoice } from "ui-kit/theme/stored-choice.ts";

/** True: services have a pattern in addition to their colour, for users who cannot distinguish the colours. */
export const patternChoice = storedChoice("tracing.patterns", ["off", "on"]);

/** Makes the page follow the choice, from now on. Called once, before the first paint. */
export function applyPatterns(): void {
  const apply = () => {
    document.documentElement.dataset.patterns = patternChoice.get();
  };
  apply();
  patternChoice.subscribe(apply);
}

/**
 * Number of patterns, as service-patterns.css numbers them and pattern-tiles.ts draws them; the first is
 * plain. A change needs all three.
 */
const patterns = 8;

/** Number of the pattern that goes with a hue; hues that are neighbours have different ones. */
export function patternNumber(hue: number): number {
  return Math.max(0, serviceHues.indexOf(hue)) % patterns;
}

/** The same as a CSS value. */
export function patternOf(hue: number): string {
  return `var(--pattern-${patternNumber(hue)})`;
}
