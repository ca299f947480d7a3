import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { ownPattern, PatternError } from "./detectors/own-pattern.ts";
import { attributePlaces, textPlaces } from "./privacy-fields.ts";
import { type PrivacyRule, type RulesDocument, rulesDocument } from "./privacy-rule.ts";

/** Why a file of rules cannot be used, with the place in it: `privacy.yaml:7:5: rules[1].length: …`. */
export class PrivacyRulesError extends Error {
  override readonly name = "PrivacyRulesError";
}

type Path = readonly PropertyKey[];

/** Rules of a file, before its key is read. */
export interface ParsedRules {
  readonly rules: readonly PrivacyRule[];
  readonly hashKey: RulesDocument["hash-key"];
  /** The error for a place in the document. */
  readonly refuse: (path: Path, problem: string) => PrivacyRulesError;
}

/**
 * Reads rules from YAML or JSON.
 * @param origin names the text in errors
 * @throws PrivacyRulesError for the first mistake
 */
export function parsePrivacyRules(text: string, origin: string): ParsedRules {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    // The parser's message quotes the text; its code says as much.
    throw new PrivacyRulesError(`${origin}:${line}:${col}: is not YAML or JSON: ${fault.code}`);
  }
  const refuse = (path: Path, problem: string) => {
    const place = placeOf(path);
    const node = nodeAt(document, path);
    const position = node?.range ? lines.linePos(node.range[0]) : { line: 1, col: 1 };
    return new PrivacyRulesError(`${origin}:${position.line}:${position.col}: ${place}: ${problem}`);
  };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw refuse([], (error as Error).message);
  }
  const parsed = rulesDocument.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    throw refuse(...problemOf(issue));
  }
  const all = parsed.data;
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

/** A key that is not known is named by its own place. */
function problemOf(issue: z.core.$ZodIssue): [Path, string] {
  if (issue.code === "unrecognized_keys") {
    return [[...issue.path, ...issue.keys.slice(0, 1)], "is not known here"];
  }
  return [issue.path, issue.message];
}

interface Node {
  readonly range?: readonly [number, number, number] | null | undefined;
}

/** The innermost node of the path that is there. */
function nodeAt(document: ReturnType<typeof parseDocument>, path: Path): Node | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (typeof node === "object" && node !== null && "range" in node) {
      return node as Node;
    }
  }
  return document.contents ?? undefined;
}

function placeOf(path: Path): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  return text.replace(/^\./, "") || "the document";
}

type Refuse = (field: Path, problem: string) => PrivacyRulesError;
type FileRule = RulesDocument["rules"][number];

/** Checks what the form of a rule cannot say. */
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

function checkPattern(pattern: string, refuse: (problem: string) => PrivacyRulesError): void {
  try {
    ownPattern(pattern);
  } catch (error) {
    throw error instanceof PatternError ? refuse(error.message) : error;
  }
}
