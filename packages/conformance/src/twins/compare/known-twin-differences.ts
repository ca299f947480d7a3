import { readFileSync } from "node:fs";
import { z } from "zod";
import type { TwinDifference } from "./compare-observations.ts";

const knownSchema = z.strictObject({
  reason: z.string().describe("Why ours is another answer."),
  site: z.string().optional().describe("A regular expression for the text of the site; absent: any."),
  request: z.string().optional().describe("The same for the exchange in words."),
  path: z.string().describe("The same for the name of the fact, from its begin to its end."),
  theirs: z.string().optional().describe("The same for the public model's value; `` is an absent one."),
  ours: z.string().optional().describe("The same for ours."),
});

type Known = z.infer<typeof knownSchema>;

/** Differences that are meant. */
export class KnownTwinDifferences {
  readonly #entries: readonly (readonly [
    reason: string,
    holds: (site: string, difference: TwinDifference) => boolean,
  ])[];

  constructor(known: readonly Known[]) {
    const reasons = known.map(({ reason }) => reason);
    const twice = reasons.find((reason, index) => reasons.indexOf(reason) !== index);
    if (twice !== undefined) throw new Error(`two entries have one reason: ${twice}`);
    this.#entries = known.map((each) => {
      const matcher = (text: string | undefined, isWhole = false) => {
        if (text === undefined) return () => true;
        const expression = new RegExp(isWhole ? `^(?:${text})$` : text, "s");
        return (value: string) => expression.test(value);
      };
      const [site, request, path] = [matcher(each.site), matcher(each.request), matcher(each.path, true)];
      const [theirs, ours] = [matcher(each.theirs, true), matcher(each.ours, true)];
      return [
        each.reason,
        (text, difference) =>
          path(difference.path) &&
          request(difference.request) &&
          site(text) &&
          theirs(difference.theirs ?? "") &&
          ours(difference.ours ?? ""),
      ];
    });
  }

  static read(): KnownTwinDifferences {
    const file = new URL("../../../known-twin-differences.json", import.meta.url);
    return new KnownTwinDifferences(z.array(knownSchema).parse(JSON.parse(readFileSync(file, "utf8"))));
  }

  /** Of all entries. */
  get reasons(): readonly string[] {
    return this.#entries.map(([reason]) => reason);
  }

  /** Why a difference is meant; undefined when it is not. */
  reasonOf(site: string, difference: TwinDifference): string | undefined {
    return this.#entries.find(([, holds]) => holds(site, difference))?.[0];
  }
}
