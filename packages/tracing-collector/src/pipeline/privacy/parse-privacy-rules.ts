import { type DocumentPath, parseLocated } from "../files/located-document.ts";
import { ownPattern, PatternError } from "./detectors/own-pattern.ts";
import { attributePlaces, textPlaces } from "./privacy-fields.ts";
import { type PrivacyRule, type RulesDocument, rulesDocument } from "./privacy-rule.ts";

/** The error for an invalid file of rules. Its message has the position: `privacy.yaml:7:5: rules[1].length: …`. */
export class PrivacyRulesError extends Error {
  override readonly name = "PrivacyRulesError";
}

/** Rules of a file, before its key is read. */
export interface ParsedRules {
  readonly rules: readonly PrivacyRule[];
  readonly hashKey: RulesDocument["hash-key"];
  /** Makes the error for a position in the document. */
  readonly refuse: (path: DocumentPath, problem: string) => Error;
}

/**
 * Reads rules from YAML or JSON.
 * @param origin name of the text in errors
 * @throws PrivacyRulesError for the first mistake
 */
export function parsePrivacyRules(text: string, origin: string): ParsedRules {
  const { value: all, refuse } = parseLocated(
    text,
    origin,
    rulesDocument,
    (message) => new PrivacyRulesError(message),
  );
  const rules = all.rules.map((one, index): PrivacyRule => {
    check(one, (field, problem) => refuse(["rules", index, ...field], problem));
    return {
      ...one,
      "dry-run": one["dry-run"] || all["dry-run"],
      name: one.name ?? `${one.action}-${index + 1}`,
    };
  });
  const seen = new Set<string>();
  for (const [index, { name }] of rules.entries()) {
    if (seen.has(name)) {
      throw refuse(["rules", index], `another rule is called ${name}: give them a name each`);
    }
    seen.add(name);
  }
  return { rules, hashKey: all["hash-key"], refuse };
}

type Refuse = (field: DocumentPath, problem: string) => Error;
type FileRule = RulesDocument["rules"][number];

/** Checks rules that the schema cannot express. */
function check(rule: FileRule, refuse: Refuse): void {
  const places = rule.in ?? [];
  const isDetecting = "detect" in rule || "patterns" in rule;
  const namesAttributes = places.length === 0 || places.some((place) => isAttributePlace(place));
  if (rule.attributes === undefined && namesAttributes && !isDetecting) {
    throw refuse([], 'needs attributes, or detect or patterns; attributes: ["*"] are all');
  }
  if (rule.attributes !== undefined && places.length > 0 && !places.every(isAttributePlace)) {
    throw refuse(["in"], `${textPlaces.join(", ")} have no attributes: write a rule of their own`);
  }
  if ("keep" in rule && rule.keep !== undefined && (isDetecting || rule.attributes === undefined)) {
    throw refuse(
      ["keep"],
      "keep goes with attributes whose whole values are meant: leave out detect and patterns",
    );
  }
  const service = rule.attributes?.findIndex((name) => name.toLowerCase() === "service.name") ?? -1;
  if (service >= 0 && (places.length === 0 || places.includes("resource"))) {
    throw refuse(
      ["attributes", service],
      "service.name of resources names the service, and is never changed",
    );
  }
  if ("patterns" in rule) {
    for (const [index, pattern] of (rule.patterns ?? []).entries()) {
      checkPattern(pattern, (problem) => refuse(["patterns", index], problem));
    }
  }
}

const isAttributePlace = (place: string) => attributePlaces.some((one) => one === place);

function checkPattern(pattern: string, refuse: (problem: string) => Error): void {
  try {
    ownPattern(pattern);
  } catch (error) {
    throw error instanceof PatternError ? refuse(error.message) : error;
  }
}
