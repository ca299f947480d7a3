import "./service-patterns.css";
import { serviceHues } from "ui-kit/theme/service-hues.ts";
import { storedChoice } from "ui-kit/theme/stored-choice.ts";

/** True: services have a pattern in addition to their colour, for users who cannot distinguish the colours. */
export const patternChoice = storedChoice("tracing.patterns", ["off", "on"]);

/** Applies the pattern choice to the page, now and after each change. Called once, before the first paint. */
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

/** Pattern number of a hue. Neighbouring hues have different patterns. */
export function patternNumber(hue: number): number {
  return Math.max(0, serviceHues.indexOf(hue)) % patterns;
}

/** The pattern number of a hue as a CSS value. */
export function patternOf(hue: number): string {
  return `var(--pattern-${patternNumber(hue)})`;
}
