import type { CompiledRule } from "./compiled-rule.ts";
import type { PrivacyPlace } from "./privacy-fields.ts";

/** Encoding of values in a place: an attribute in a list, an attribute as a tuple, or only a text. */
export type ValueForm = "list" | "tuple" | "text";

/** The rules for the values of one name in one place. */
export interface ValuePlan {
  readonly place: PrivacyPlace;
  readonly form: ValueForm;
  /** Name of the attribute from the sender; "" for a text. */
  readonly key: string;
  /** Name of the attribute after the rules; equal to `key` when no rule renames it. */
  readonly newKey: string;
  /** Rules in the order of the file. */
  readonly rules: readonly CompiledRule[];
  /** Set of built-in detectors that its rules use. */
  readonly detectors: number;
  /** True when each value must be processed, not only values in which a built-in detector may find something. */
  readonly isForAll: boolean;
  /** True when no rule can change a plain value. */
  readonly isIdle: boolean;
}

const forms: Readonly<Partial<Record<PrivacyPlace, ValueForm>>> = {
  span: "list",
  resource: "list",
  scope: "tuple",
  event: "tuple",
  link: "tuple",
};

/**
 * Makes the plan for a name. A rule sees the name that earlier rules gave.
 * @param rules rules that apply to the span
 * @param key name of the attribute; undefined for a text
 */
export function planFor(
  rules: readonly CompiledRule[],
  place: PrivacyPlace,
  key: string | undefined,
): ValuePlan {
  const chosen: CompiledRule[] = [];
  let name = key ?? "";
  const isService = place === "resource" && name.toLowerCase() === "service.name";
  for (const rule of isService ? [] : rules) {
    if (!rule.places.has(place) || (key === undefined ? rule.isNamed !== undefined : !isMeant(rule, name))) {
      continue;
    }
    chosen.push(rule);
    if (rule.isDryRun) {
      continue;
    }
    if (rule.action === "rename") {
      name = rule.to;
    } else if (rule.action === "remove" && rule.finds.length === 0) {
      break;
    }
  }
  return {
    place,
    form: forms[place] ?? "text",
    key: key ?? "",
    newKey: name,
    rules: chosen,
    detectors: chosen.reduce((bits, { detectors }) => bits | detectors, 0),
    isForAll: chosen.some(({ finds, hasPatterns }) => finds.length === 0 || hasPatterns),
    isIdle: chosen.length === 0,
  };
}

function isMeant(rule: CompiledRule, name: string): boolean {
  return (rule.isNamed?.(name) ?? true) && !rule.isExcepted(name);
}
