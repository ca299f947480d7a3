import "./service-patterns.css";
import { hueLevel, hueSlot } from "ui-kit/theme/service-hues.ts";
import { storedChoice } from "ui-kit/theme/stored-choice.ts";

/** `on`: services have a pattern in addition to their colour, for users who cannot distinguish the colours. */
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

/**
 * Pattern number of a colour number. Without the choice of patterns only the third and later services of a hue have a
 * pattern, because only a pattern distinguishes them.
 * @param wanted true when the user has chosen patterns: neighbouring hues then have different patterns, too
 */
export function patternNumber(hue: number, wanted: boolean): number {
  return ((wanted ? hueSlot(hue) : 0) + Math.floor(hueLevel(hue) / 2)) % patterns;
}

/** The pattern of a colour number as a CSS value, which depends on the choice of patterns. */
export function patternOf(hue: number): string {
  const always = patternNumber(hue, false);
  return `var(--pattern-${patternNumber(hue, true)}, var(--mark-${always}, none))`;
}
