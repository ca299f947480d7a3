import type { RandomSource } from "../../../serverfile/random-source.ts";
import type { RequestHints } from "../../requests/draw-requests.ts";

/** A typical site of users; its details vary from draw to draw. */
export interface Archetype {
  readonly name: string;
  text(random: RandomSource): string;
  readonly hints: RequestHints;
}

/** Returns `line` in half of all draws, otherwise "". */
export const maybe = (random: RandomSource, line: string): string =>
  random.below(2) === 0 ? "" : `${line}\n`;
