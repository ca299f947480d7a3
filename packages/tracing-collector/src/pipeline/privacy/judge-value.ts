import { isUtf8 } from "node:buffer";
import type { Attribute, AttributeType, AttributeValue } from "wire/model";
import { attributeText, parseAttributeText } from "wire/rows";
import type { CompiledRule } from "./compiled-rule.ts";
import { changeJson, parseJsonText } from "./json-text.ts";
import type { PlanTable } from "./rule-view.ts";
import type { ValuePlan } from "./value-plan.ts";

/** The result of the rules for one value. */
export interface JudgedValue {
  readonly type: AttributeType;
  /** The new text, in the form of rows. */
  readonly text: string;
  readonly isRemoved: boolean;
  /** Indexes of the rules that changed the value, or would change it in a dry run. A rule may occur several times. */
  readonly hits: readonly number[];
}

/**
 * Applies the rules of a plan to a value. Values inside of arrays and kvlists are processed first, one by one. In a
 * kvlist they have names such as `user.mail`.
 * @param text value in the form of rows
 * @param table plans of the place, for names inside of kvlists; undefined when no rule selects attributes by name
 * @throws WireError WIRE_MALFORMED for a text that does not fit its type
 */
export function judgeValue(
  plan: ValuePlan,
  type: AttributeType,
  text: string,
  table: PlanTable | undefined,
): JudgedValue {
  const hits: number[] = [];
  if (type !== "array" && type !== "kvlist") {
    return { ...judgePlain(plan.rules, type, text, hits), hits };
  }
  const value = parseAttributeText(type, text);
  const detected = judgeInside({ plan, table, hits, above: [] }, value);
  const inner = keepMembers(plan.rules, detected, hits);
  const innerText = inner === value ? text : attributeText(inner);
  const whole = plan.rules.filter(({ finds, keep }) => finds.length === 0 && keep === undefined);
  return { ...judgePlain(whole, type, innerText, hits), hits };
}

/** Applies rules with `keep` to an array or a kvlist. @returns the same object when nothing changed */
function keepMembers(rules: readonly CompiledRule[], value: AttributeValue, hits: number[]): AttributeValue {
  let now = value;
  for (const rule of rules) {
    const next = rule.keep === undefined ? now : keptOf(rule, now, "");
    if (next !== now) {
      hits.push(rule.index);
      now = rule.isDryRun ? now : next;
    }
  }
  return now;
}

/** @param path names of the entries that hold the value, with dots; "" for an item of the outermost array */
function keptOf(rule: CompiledRule, value: AttributeValue, path: string): AttributeValue {
  if (value.type === "array") {
    const items = value.value.map((item) => keptOf(rule, item, path));
    return items.every((item, index) => item === value.value[index])
      ? value
      : { type: "array", value: items };
  }
  if (value.type === "kvlist") {
    const entries = value.value.map(({ key, value: one }) => ({
      key,
      value: keptOf(rule, one, path === "" ? key : `${path}.${key}`),
    }));
    return entries.every((entry, index) => entry.value === value.value[index]?.value)
      ? value
      : { type: "kvlist", value: entries };
  }
  if (value.type === "empty" || rule.keep?.(path) === true) {
    return value;
  }
  const text = attributeText(value);
  const next = text === "" ? "" : rule.replace(text);
  return next === text ? value : { type: "string", value: next };
}

/** The position inside a value that is being processed. */
interface Inside {
  /** The plan of the innermost name. */
  readonly plan: ValuePlan;
  readonly table: PlanTable | undefined;
  readonly hits: number[];
  /** Plans of the outer names, outermost first. */
  readonly above: readonly ValuePlan[];
}

/** @returns the same object when nothing changed */
function judgeInside(inside: Inside, value: AttributeValue): AttributeValue {
  if (value.type === "array") {
    const items = value.value.map((item) => judgeItem(inside, item));
    return items.every((item, index) => item === value.value[index])
      ? value
      : { type: "array", value: items };
  }
  if (value.type !== "kvlist") {
    return value;
  }
  let isChanged = false;
  const entries: Attribute[] = [];
  for (const entry of value.value) {
    const judged = judgeEntry(inside, entry);
    isChanged ||= judged !== entry.value;
    if (judged !== undefined) {
      entries.push({ key: entry.key, value: judged });
    }
  }
  return isChanged ? { type: "kvlist", value: entries } : value;
}

/** An item of an array has no name, so only detectors apply to it. */
function judgeItem(inside: Inside, item: AttributeValue): AttributeValue {
  if (item.type === "array" || item.type === "kvlist") {
    return judgeInside(inside, item);
  }
  const detecting = inside.plan.rules.filter(({ finds }) => finds.length > 0);
  const text = attributeText(item);
  const judged = judgePlain(detecting, item.type, text, inside.hits);
  if (judged.isRemoved) {
    return { type: "empty" };
  }
  return judged.text === text && judged.type === item.type ? item : { type: "string", value: judged.text };
}

/** @returns undefined for an entry that is removed */
function judgeEntry(
  { plan: parent, table, hits, above }: Inside,
  entry: Attribute,
): AttributeValue | undefined {
  const { value } = entry;
  const key = `${parent.key}.${entry.key}`;
  const around = [...above, parent];
  const own = table?.of(key).rules ?? parent.rules.filter(({ finds }) => finds.length > 0);
  // A rule for the whole outer value is applied to that value. If such a rule does not apply to the outer value, it
  // does not apply to the inner ones either.
  const isMeant = (rule: CompiledRule) =>
    !around.some(
      (plan) => rule.isExcepted(plan.key) || (rule.finds.length === 0 && plan.rules.includes(rule)),
    );
  const rules = own.filter(isMeant);
  const plan = { ...parent, key, newKey: key, rules };
  const isNested = value.type === "array" || value.type === "kvlist";
  const inner = isNested ? judgeInside({ plan, table, hits, above: around }, value) : value;
  const text = attributeText(inner);
  const left = isNested ? rules.filter(({ finds }) => finds.length === 0) : rules;
  const judged = judgePlain(left, inner.type, text, hits);
  if (judged.isRemoved) {
    return undefined;
  }
  return judged.text === text && judged.type === inner.type ? inner : { type: "string", value: judged.text };
}

type Plain = Omit<JudgedValue, "hits">;

function judgePlain(
  rules: readonly CompiledRule[],
  type: AttributeType,
  text: string,
  hits: number[],
): Plain {
  let now: Plain = { type, text, isRemoved: false };
  for (const rule of rules) {
    const next = rule.finds.length === 0 ? wholeBy(rule, now) : partsBy(rule, now);
    if (next === undefined) {
      continue;
    }
    hits.push(rule.index);
    if (!rule.isDryRun) {
      now = next;
    }
    if (now.isRemoved) {
      break;
    }
  }
  return now;
}

/** @returns undefined when the rule changes nothing */
function wholeBy(rule: CompiledRule, value: Plain): Plain | undefined {
  const { action, replace } = rule;
  if (action === "remove") {
    return { ...value, isRemoved: true };
  }
  if (action === "rename") {
    return value;
  }
  const text = value.text === "" ? "" : (keptText(rule, value) ?? replace(value.text));
  return text === value.text ? undefined : { type: "string", text, isRemoved: false };
}

/** Replaces in JSON all but the members of `keep`. @returns undefined when the whole text is to be replaced */
function keptText({ keep, replace }: CompiledRule, { type, text }: Plain): string | undefined {
  const tree = keep === undefined || type !== "string" ? undefined : parseJsonText(text);
  if (keep === undefined || tree === undefined) {
    return undefined;
  }
  const changed = changeJson(tree, (one, path) => (one === "" || keep(path) ? undefined : replace(one)));
  const written = JSON.stringify(changed);
  // A repeated member is not in the tree, so a text that has one is written anew.
  return changed === tree && withoutBlanks(written) === withoutBlanks(text) ? text : written;
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, "");
}

/**
 * Searches the decoded texts of JSON and replaces the findings, so that an escape such as `\n` before a finding is not
 * part of the finding.
 * @returns undefined for a value that is no JSON; the same text when nothing is found
 */
function jsonParts(rule: CompiledRule, { type, text }: Plain): string | undefined {
  const tree = type === "string" ? parseJsonText(text) : undefined;
  if (tree === undefined) {
    return undefined;
  }
  const partsOf = (one: string): string | undefined => {
    // Arguments of tool calls are JSON inside a JSON string.
    const nested = jsonParts(rule, { type, text: one, isRemoved: false });
    if (nested !== undefined && nested !== one) {
      return nested;
    }
    const places = allPlaces(rule, one);
    return places.length === 0 ? undefined : replaced(rule, one, places);
  };
  const changed = changeJson(tree, partsOf, partsOf);
  return changed === tree ? text : JSON.stringify(changed);
}

/** @returns undefined when nothing is found */
function partsBy(rule: CompiledRule, value: Plain): Plain | undefined {
  const text = searchedText(value);
  const json = jsonParts(rule, value);
  // Without a finding in the tree, the text itself is searched: a repeated member is in the text, but not in the tree.
  if (json !== undefined && json !== text) {
    return { type: "string", text: json, isRemoved: rule.action === "remove" };
  }
  const places = text === "" ? [] : allPlaces(rule, text);
  if (places.length === 0) {
    return undefined;
  }
  if (rule.action === "remove") {
    return { ...value, isRemoved: true };
  }
  if (value.type === "bytes") {
    return { type: "string", text: rule.replace(text), isRemoved: false };
  }
  return { type: "string", text: replaced(rule, text, places), isRemoved: false };
}

function replaced(rule: CompiledRule, text: string, places: readonly number[]): string {
  let result = "";
  let copied = 0;
  for (let index = 0; index < places.length; index += 2) {
    const [start, end] = [places[index] as number, places[index + 1] as number];
    result += text.slice(copied, start) + rule.replace(text.slice(start, end));
    copied = end;
  }
  return result + text.slice(copied);
}

/** The text in which detectors search: for bytes, their UTF-8 text if they are valid UTF-8. */
function searchedText({ type, text }: Plain): string {
  if (type !== "bytes") {
    return text;
  }
  const bytes = Buffer.from(text, "hex");
  return isUtf8(bytes) ? bytes.toString() : "";
}

/** All findings of a rule's detectors, in order; overlapping findings are merged. */
function allPlaces({ finds }: CompiledRule, text: string): readonly number[] {
  const [only] = finds;
  if (finds.length === 1 && only !== undefined) {
    return only(text);
  }
  const pairs: (readonly [number, number])[] = [];
  for (const find of finds) {
    const found = find(text);
    for (let index = 0; index < found.length; index += 2) {
      pairs.push([found[index] as number, found[index + 1] as number]);
    }
  }
  pairs.sort(([a], [b]) => a - b);
  const places: number[] = [];
  for (const [start, end] of pairs) {
    const last = places.length - 1;
    if (last > 0 && start < (places[last] as number)) {
      places[last] = Math.max(places[last] as number, end);
    } else {
      places.push(start, end);
    }
  }
  return places;
}
