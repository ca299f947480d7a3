import { createHmac } from "node:crypto";
import { builtInDetectors } from "./detectors/built-in.ts";
import type { Find } from "./detectors/detector.ts";
import { ownPattern } from "./detectors/own-pattern.ts";
import { type NameTest, nameTest } from "./name-pattern.ts";
import { attributePlaces, detectedPlaces, type PrivacyPlace } from "./privacy-fields.ts";
import type { PrivacyRule } from "./privacy-rule.ts";

/** Hex digits of a hash: 128 bits. */
const hashDigits = 32;

/** A rule in the form in which it is applied. */
export interface CompiledRule {
  /** Index of the rule in the file, from 0. */
  readonly index: number;
  readonly action: PrivacyRule["action"];
  readonly isDryRun: boolean;
  readonly places: ReadonlySet<PrivacyPlace>;
  /** Test of the attribute's name. Undefined: any name, and texts without a name. */
  readonly isNamed: NameTest | undefined;
  readonly isExcepted: NameTest;
  readonly services: NameTest | undefined;
  readonly scopes: NameTest | undefined;
  readonly tenants: NameTest | undefined;
  /** Detectors for the parts to change. Empty: the rule changes whole values. */
  readonly finds: readonly Find[];
  /** Set of the built-in detectors among them, as bits. */
  readonly detectors: number;
  /** True when custom patterns are among the detectors. Any value may match a pattern, so each value is searched. */
  readonly hasPatterns: boolean;
  /** Test of the paths of members that stay in JSON and kvlists. Undefined: the rule changes the whole value. */
  readonly keep: NameTest | undefined;
  /** New name for the action `rename`, otherwise "". */
  readonly to: string;
  /** @returns the text that replaces a value, or a detected part of it */
  readonly replace: (text: string) => string;
}

const testOf = (names: readonly string[] | undefined) => (names === undefined ? undefined : nameTest(names));

/** @param hashKey required when the rule hashes */
export function compileRule(rule: PrivacyRule, index: number, hashKey: Buffer | undefined): CompiledRule {
  const detect = "detect" in rule ? (rule.detect ?? []) : [];
  const patterns = "patterns" in rule ? (rule.patterns ?? []) : [];
  const isDetecting = detect.length + patterns.length > 0;
  const isForTexts = isDetecting && rule.attributes === undefined;
  return {
    index,
    action: rule.action,
    isDryRun: rule["dry-run"],
    places: new Set(rule.in ?? (isForTexts ? detectedPlaces : attributePlaces)),
    isNamed: testOf(rule.attributes),
    isExcepted: nameTest(rule.except ?? []),
    services: testOf(rule.services),
    scopes: testOf(rule.scopes),
    tenants: testOf(rule.tenants),
    finds: [...detect.map((name) => builtInDetectors[name].find), ...patterns.map(ownPattern)],
    detectors: detect.reduce((bits, name) => bits | builtInDetectors[name].bit, 0),
    hasPatterns: patterns.length > 0,
    keep: "keep" in rule ? testOf(rule.keep) : undefined,
    to: rule.action === "rename" ? rule.to : "",
    replace: replacementOf(rule, hashKey),
  };
}

function replacementOf(rule: PrivacyRule, hashKey: Buffer | undefined): (text: string) => string {
  switch (rule.action) {
    case "mask":
      return () => rule.with;
    case "hash": {
      const key = hashKey as Buffer;
      return (text) => createHmac("sha256", key).update(text).digest("hex").slice(0, hashDigits);
    }
    case "truncate":
      return (text) => firstCharacters(text, rule.length);
    default:
      return () => "";
  }
}

/** The first `count` code points. */
function firstCharacters(text: string, count: number): string {
  if (text.length <= count) {
    return text;
  }
  let index = 0;
  for (let left = count; left > 0 && index < text.length; left--) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, index);
}
