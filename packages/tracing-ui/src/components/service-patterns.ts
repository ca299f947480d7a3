import "./service-patterns.css";
import { serviceHues } from "ui-kit/theme/service-hues.ts";
import { storedChoice } from "ui-kit/theme/stored-choice.ts";

/** Whether services have a pattern beside their colour, for those who cannot tell the colours apart. */
export const patternChoice = storedChoice("tracing.patterns", ["off", "on"]);

/** Makes the page follow the choice, from now on. */
export function applyPatterns(): void {
  const apply = () => {
    document.documentElement.dataset.patterns = patternChoice.get();
  };
  apply();
  patternChoice.subscribe(apply);
}

/** Patterns there are, as service-patterns.css numbers them; the first is plain. */
const patterns = 8;

/** The pattern that goes with a hue, as a CSS value; hues that are neighbours have different ones. */
export function patternOf(hue: number): string {
  return `var(--pattern-${Math.max(0, serviceHues.indexOf(hue)) % patterns})`;
}
