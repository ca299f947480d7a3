import { RandomSource } from "../serverfile/random-source.ts";
import { drawSteps, type RequestHints } from "./requests/draw-requests.ts";
import { archetypes } from "./sites/archetypes/archetypes.ts";
import { drawSiteText } from "./sites/draw-site.ts";
import { readStatements, writeStatements } from "./sites/site-text.ts";
import type { TwinStep } from "./twin-case.ts";

/** One site in this many is an archetype. */
const sitesPerArchetype = 3;

/** A generated site before the servers have loaded it. */
export interface DrawnSite {
  /** The archetype, or `drawn`. */
  readonly kind: string;
  readonly text: string;
  /** Draws exchanges for the text that the servers finally accept. */
  steps(text: string, requests: number): TwinStep[];
}

/**
 * The site with this number; the same seed always gives the same site.
 * @param only name of an archetype; then all sites are of this archetype
 */
export function drawSite(seed: number, index: number, only?: string): DrawnSite {
  const random = new RandomSource(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const named = archetypes.find(({ name }) => name === only);
  const isArchetype = named !== undefined || (only === undefined && index % sitesPerArchetype === 0);
  const archetype = isArchetype
    ? (named ?? archetypes[Math.floor(index / sitesPerArchetype) % archetypes.length])
    : undefined;
  const text =
    archetype === undefined ? drawSiteText(random) : writeStatements(readStatements(archetype.text(random)));
  const hints: RequestHints = archetype?.hints ?? {};
  return {
    kind: archetype?.name ?? "drawn",
    text,
    steps: (site, requests) => drawSteps(random, site, requests, hints),
  };
}
