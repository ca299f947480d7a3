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

function readList(): Known[] {
  const file = new URL("../../../known-twin-differences.json", import.meta.url);
  return z.array(knownSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}

/** Parts of the page of differences, by where an entry is seen first. */
const parts: readonly (readonly [title: string, path: RegExp])[] = [
  ["Answers", /^\(?(answer|end|flow)/],
  ["Requests to upstreams", /^\(?upstream/],
  ["Logs and metrics", /^\(?(log|error log|metric|requests)/],
  ["Loading", /^(load|adapt)/],
];

/** The reasons of the list as Markdown, for docs/known-server-differences.md. */
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
    return new KnownTwinDifferences(readList());
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
