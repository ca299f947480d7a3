import { z } from "zod";
import { detectorNames } from "./detectors/built-in.ts";
import { maxPatternLength } from "./detectors/own-pattern.ts";
import { maxNameLength } from "./name-pattern.ts";
import { attributePlaces, privacyPlaces } from "./privacy-fields.ts";

/**
 * Maximum number of rules in one file, and entries in a rule's list; a file with more is refused. It bounds the time
 * for a new value, to which each rule is applied.
 */
const maxRules = 200;
const maxList = 200;

/** A replacement text. It is also written into JSON, so it must not contain characters that need an escape. */
const replacement = z
  .string()
  .max(64)
  .regex(/^[^"\\\p{Cc}]*$/u, "must have no quotes, backslashes or control characters");

const names = (what: string) =>
  z.array(z.string().min(1).max(maxNameLength)).min(1).max(maxList).optional().describe(what);

/** Fields that all rules have: they select spans and values. */
const conditions = {
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits, dots, hyphens and underscores")
    .optional()
    .describe("Names the rule in metrics; by default its action and its number, such as mask-2."),
  attributes: names(
    "Names of attributes, with * and ? for any; without detectors, their whole values are meant.",
  ),
  except: names("Names of attributes that the rule leaves alone."),
  in: z
    .array(z.enum(privacyPlaces))
    .min(1)
    .optional()
    .describe("Places that the rule looks at: by default attributes, with detectors also texts."),
  services: names("Only spans of these services."),
  scopes: names("Only spans of these instrumentation scopes."),
  tenants: names("Only spans of these tenants."),
  "dry-run": z.boolean().default(false).describe("Count what the rule would change, and change nothing."),
};

/** Fields of rules that may change a part of a value. A rule with neither changes whole values. */
const detection = {
  detect: z.array(z.enum(detectorNames)).min(1).optional().describe("Built-in detectors of parts of values."),
  patterns: z
    .array(z.string().min(1).max(maxPatternLength))
    .min(1)
    .max(20)
    .optional()
    .describe("Own patterns of parts of values, in the syntax of RE2."),
};

/** Field of rules that can change values inside of JSON. */
const keeping = {
  keep: names(
    "Paths of members, such as parts.type, that stay in JSON, arrays and kvlists; other values are changed whole.",
  ),
};

/** `{ action: mask, detect: [email], in: [span, resource] }` */
const rule = z.discriminatedUnion("action", [
  z
    .strictObject({ action: z.literal("remove"), ...conditions, ...detection })
    .describe("Removes the attribute, or empties the text."),
  z
    .strictObject({
      action: z.literal("mask"),
      ...conditions,
      ...detection,
      ...keeping,
      with: replacement.default("****"),
    })
    .describe("Replaces the value, or what was found in it."),
  z
    .strictObject({ action: z.literal("hash"), ...conditions, ...detection, ...keeping })
    .describe("As mask, with 32 hex digits of HMAC-SHA-256 with the key of the file."),
  z
    .strictObject({
      action: z.literal("truncate"),
      ...conditions,
      ...keeping,
      length: z.int().min(0).max(1_000_000),
    })
    .describe("Keeps the first characters of the value."),
  z
    .strictObject({
      action: z.literal("rename"),
      ...conditions,
      in: z.array(z.enum(attributePlaces)).min(1).optional(),
      attributes: z.array(z.string().min(1).max(maxNameLength)).min(1).max(maxList),
      to: z.string().min(1).max(maxNameLength),
    })
    .describe("Gives the attribute another name; an attribute that has it already stays beside it."),
]);

export const rulesDocument = z.strictObject({
  "dry-run": z.boolean().default(false).describe("Change nothing at all, and count for every rule."),
  "hash-key": z
    .union([z.strictObject({ file: z.string().min(1) }), z.strictObject({ environment: z.string().min(1) })])
    .optional()
    .describe(
      "Where the key of hash is: a file, from the folder of the rules, or a variable of the environment.",
    ),
  rules: z.array(rule).min(1).max(maxRules),
});

export type RulesDocument = z.output<typeof rulesDocument>;

/** A rule in the file, with its name. */
export type PrivacyRule = RulesDocument["rules"][number] & { readonly name: string };

/** Rules that are ready to be compiled. */
export interface PrivacyRules {
  /** Rules in the order of their application. */
  readonly rules: readonly PrivacyRule[];
  /** Key for HMAC; undefined when no rule hashes. */
  readonly hashKey: Buffer | undefined;
}
