import { readFileSync } from "node:fs";
import { z } from "zod";
import { mostRequests } from "../upstream/seen-requests.ts";
import type { TwinDifference } from "./compare-observations.ts";

const expression = z.string();

const besideSchema = z.strictObject({
  path: z.string().describe("Name of another fact of the exchange; `#` is the number in this one's name."),
  theirs: expression.optional().describe("For the public model's value, as below."),
  ours: expression.optional().describe("The same for ours."),
  differs: z.boolean().optional().describe("Whether the two have different values there."),
});

const factSchema = z.strictObject({
  path: expression.describe("For the name of the fact, from its begin to its end."),
  theirs: expression
    .optional()
    .describe("For the public model's value, from its begin to its end; `absent` where it has none."),
  ours: expression.optional().describe("The same for ours."),
  without: expression.optional().describe("Taken out of both values, they are equal."),
  beside: besideSchema.optional().describe("What else is so in the same exchange."),
  repeats: z
    .boolean()
    .optional()
    .describe(
      "The side that has the fact has it of an earlier try of the same request too, with the same value.",
    ),
});

const knownSchema = z.strictObject({
  reason: z.string().describe("Why ours is another answer. All members below are regular expressions."),
  site: expression.optional().describe("For the text of the site; absent: any."),
  request: expression.optional().describe("For the exchange in words; absent: any."),
  facts: z.array(factSchema).min(1).describe("Any of them holds."),
});

type Known = z.infer<typeof knownSchema>;
type KnownFact = z.infer<typeof factSchema>;
type Holds = (difference: TwinDifference) => boolean;

function matcher(text: string | undefined, isWhole = false): (value: string) => boolean {
  if (text === undefined) {
    return () => true;
  }
  const compiled = new RegExp(isWhole ? `^(?:${text})$` : text, "s");
  return (value) => compiled.test(value);
}

/** Kind, number and member of a fact, such as `answer 0 field.via`. */
const numbered = /^(\w+) (\d+) (.*)$/s;
const always: Holds = () => true;

function besideHolds(beside: KnownFact["beside"]): Holds {
  if (beside === undefined) {
    return always;
  }
  const [theirs, ours] = [matcher(beside.theirs, true), matcher(beside.ours, true)];
  return ({ path, around }) => {
    const name = beside.path.replace("#", numbered.exec(path)?.[2] ?? "#");
    const [their, our] = [around?.theirs[name] ?? "absent", around?.ours[name] ?? "absent"];
    return theirs(their) && ours(our) && (beside.differs === undefined || (their !== our) === beside.differs);
  };
}

function repeatsEarlier({ path, theirs, ours, around }: TwinDifference): boolean {
  const [, kind, number, member] = numbered.exec(path) ?? [];
  const [value, facts] = theirs === undefined ? [ours, around?.ours] : [theirs, around?.theirs];
  for (let earlier = Number(number ?? 0) - mostRequests; earlier >= 0; earlier -= mostRequests) {
    if (facts?.[`${kind} ${earlier} ${member}`] === value) {
      return true;
    }
  }
  return false;
}

function factMatcher(fact: KnownFact): Holds {
  const path = matcher(fact.path, true);
  const [theirs, ours] = [matcher(fact.theirs, true), matcher(fact.ours, true)];
  const without = fact.without === undefined ? undefined : new RegExp(fact.without, "gs");
  const beside = besideHolds(fact.beside);
  const repeats = fact.repeats === true ? repeatsEarlier : always;
  return (difference) => {
    if (!path(difference.path)) {
      return false;
    }
    const [their, our] = [difference.theirs ?? "absent", difference.ours ?? "absent"];
    return (
      theirs(their) &&
      ours(our) &&
      (without === undefined || their.replace(without, "") === our.replace(without, "")) &&
      beside(difference) &&
      repeats(difference)
    );
  };
}

function readList(): Known[] {
  const file = new URL("../../../known-twin-differences.json", import.meta.url);
  return z.array(knownSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}

/** Sections of the page of differences, by the kind of fact in which an entry is first seen. */
const parts: readonly (readonly [title: string, path: RegExp])[] = [
  ["Answers", /^\(?(answer|end|flow)/],
  ["Requests to upstreams", /^\(?upstream/],
  ["Logs and metrics", /^\(?(log|error log|metric|requests)/],
  ["Loading", /^(load|adapt)/],
];

/** The reasons in the list as Markdown, for docs/known-server-differences.md. */
export function renderKnownServerDifferences(): string {
  const list = readList();
  const sections = parts.map(([title, path]) => {
    const reasons = list
      .filter(({ facts }) => parts.find(([, each]) => each.test(facts[0]?.path ?? ""))?.[1] === path)
      .map(({ reason }) => `- ${reason}`);
    return `## ${title}\n\n${reasons.sort().join("\n")}\n`;
  });
  return `# Known differences of the web server to the public model

Where the web server does not do the same as Caddy 2.11 with the same site, and why ours is another way. [Twins](conformance.md#twins-whole-sites-beside-the-public-model)
send both the same requests and compare all that can be seen; other differences are faults. Made from
\`packages/conformance/known-twin-differences.json\` by \`npm run conformance -- twins --write-docs\`. "The model" is Caddy.

## Decisions

- The target of a \`rewrite\` or of \`try_files\` begins with a slash: ours puts it before a target that has none, such as
  \`rewrite * index.html\`. The model hands on \`GET index.html\`, which is no request target, and upstreams answer 400.
- A request whose upstream cannot be dialed goes to the next one without \`lb_retries\`: nothing of it was sent. The model answers
  502, unless \`lb_retries\` or \`lb_try_duration\` is set. A request that was sent is tried again under the model's rules.
- An upstream that one request could not dial is left out when the same request is tried again; the policy \`first\` of the model
  takes it again, unless \`fail_duration\` is set.
- Matchers of one set that name a capture are tried after the matcher that captures. The model tries the matchers of a set in an
  order that changes with each load, so \`file /icons/{re.x.1}\` beside \`path_regexp x\` finds its file there by chance.
- Names of fields go on as they came; the model writes them in their usual form, such as \`X-Up\`. They are equal in any case
  (RFC 9110, 5.1).
- \`Accept-Encoding: *\` takes any coding (RFC 9110, 12.5.3); the model packs nothing for it.
- Counters of metrics outlive a reload; the model forgets them. Failures that \`fail_duration\` counts outlive a change that leaves
  their route as it is; the model forgets them with every change.

${sections.join("\n")}`;
}

/** Sites and exchanges that show the differences of some entries. */
export interface EntryScope {
  /** True when this site can show any of these differences; with `request`, when this exchange can. */
  holds(site: string, request?: string): boolean;
}

interface Entry {
  readonly reason: string;
  readonly site: (text: string) => boolean;
  readonly request: (words: string) => boolean;
  readonly holds: Holds;
}

/** Differences on purpose, with their reasons. */
export class KnownTwinDifferences {
  readonly #entries: readonly Entry[];

  constructor(known: readonly Known[]) {
    const reasons = known.map(({ reason }) => reason);
    const twice = reasons.find((reason, index) => reasons.indexOf(reason) !== index);
    if (twice !== undefined) {
      throw new Error(`two entries have one reason: ${twice}`);
    }
    this.#entries = known.map(({ reason, ...each }) => {
      const facts = each.facts.map(factMatcher);
      return {
        reason,
        site: matcher(each.site),
        request: matcher(each.request),
        holds: (difference) => facts.some((holds) => holds(difference)),
      };
    });
  }

  static read(): KnownTwinDifferences {
    return new KnownTwinDifferences(readList());
  }

  /** Reasons of all entries. */
  get reasons(): readonly string[] {
    return this.#entries.map(({ reason }) => reason);
  }

  /** The reason of a difference on purpose; undefined for an unknown difference. */
  reasonOf(site: string, difference: TwinDifference): string | undefined {
    return this.#entries.find(
      (entry) => entry.holds(difference) && entry.request(difference.request) && entry.site(site),
    )?.reason;
  }

  /**
   * The entries whose reasons contain these words, one entry for each. @throws Error when none or several contain them
   */
  scopeOf(words: readonly string[]): EntryScope {
    const entries = words.map((each) => {
      const [entry, other] = this.#entries.filter(({ reason }) => reason.includes(each));
      if (entry === undefined || other !== undefined) {
        throw new Error(
          `${entry === undefined ? "no entry has" : "several entries have"} "${each}" in the reason`,
        );
      }
      return entry;
    });
    return {
      holds: (site, request) =>
        entries.some((entry) => entry.site(site) && (request === undefined || entry.request(request))),
    };
  }
}
