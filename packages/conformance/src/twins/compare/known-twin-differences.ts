import { readFileSync } from "node:fs";
import { z } from "zod";
import type { TwinDifference } from "./compare-observations.ts";

const expression = z.string();

const factSchema = z.strictObject({
  path: expression.describe("For the name of the fact, from its begin to its end."),
  theirs: expression
    .optional()
    .describe("For the public model's value, from its begin to its end; `absent` where it has none."),
  ours: expression.optional().describe("The same for ours."),
  without: expression.optional().describe("Taken out of both values, they are equal."),
});

const knownSchema = z.strictObject({
  reason: z.string().describe("Why ours is another answer. All members below are regular expressions."),
  site: expression.optional().describe("For the text of the site; absent: any."),
  request: expression.optional().describe("For the exchange in words; absent: any."),
  facts: z.array(factSchema).min(1).describe("Any of them holds."),
});

type Known = z.infer<typeof knownSchema>;

function matcher(text: string | undefined, isWhole = false): (value: string) => boolean {
  if (text === undefined) {
    return () => true;
  }
  const compiled = new RegExp(isWhole ? `^(?:${text})$` : text, "s");
  return (value) => compiled.test(value);
}

function factMatcher(fact: z.infer<typeof factSchema>): (difference: TwinDifference) => boolean {
  const [path, theirs, ours] = [fact.path, fact.theirs, fact.ours].map((text) => matcher(text, true)) as [
    (value: string) => boolean,
    (value: string) => boolean,
    (value: string) => boolean,
  ];
  const without = fact.without === undefined ? undefined : new RegExp(fact.without, "gs");
  return (difference) => {
    if (!path(difference.path)) {
      return false;
    }
    const [their, our] = [difference.theirs ?? "absent", difference.ours ?? "absent"];
    return (
      theirs(their) &&
      ours(our) &&
      (without === undefined || their.replace(without, "") === our.replace(without, ""))
    );
  };
}

/** Differences that are meant. */
export class KnownTwinDifferences {
  readonly #entries: readonly (readonly [
    reason: string,
    holds: (site: string, difference: TwinDifference) => boolean,
  ])[];

  constructor(known: readonly Known[]) {
    const reasons = known.map(({ reason }) => reason);
    const twice = reasons.find((reason, index) => reasons.indexOf(reason) !== index);
    if (twice !== undefined) {
      throw new Error(`two entries have one reason: ${twice}`);
    }
    this.#entries = known.map((each) => {
      const [site, request] = [matcher(each.site), matcher(each.request)];
      const facts = each.facts.map(factMatcher);
      return [
        each.reason,
        (text, difference) =>
          facts.some((holds) => holds(difference)) && request(difference.request) && site(text),
      ];
    });
  }

  static read(): KnownTwinDifferences {
    const file = new URL("../../../known-twin-differences.json", import.meta.url);
    return new KnownTwinDifferences(z.array(knownSchema).parse(JSON.parse(readFileSync(file, "utf8"))));
  }

  /** Reasons of all entries. */
  get reasons(): readonly string[] {
    return this.#entries.map(([reason]) => reason);
  }

  /** Why a difference is meant; undefined when it is not. */
  reasonOf(site: string, difference: TwinDifference): string | undefined {
    return this.#entries.find(([, holds]) => holds(site, difference))?.[0];
  }
}
