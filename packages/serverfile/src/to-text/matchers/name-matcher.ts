import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";

/** The first text in a value: the first element of a list, or the first key of an object. */
function firstText(value: JsonValue | undefined): string {
  if (typeof value === "string") {
    return value;
  }
  if (isJsonArray(value)) {
    return firstText(value[0]);
  }
  return isJsonObject(value) ? (Object.keys(value)[0] ?? "") : "";
}

/** Converts a text to a name: `/API/v1/*` becomes `api_v1`. At most 30 characters. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 30);
}

/** A name derived from the values of a matcher: `host` with `www.example.com` gives `www_example`. */
function wordFor(name: string, value: JsonValue | undefined): string {
  switch (name) {
    case "method":
    case "path":
      return slug(firstText(value));
    case "host":
      return slug(firstText(value).replace(/\.[^.]*$/, "") || firstText(value));
    case "header":
    case "query":
    case "vars":
      return `${name}_${slug(firstText(value))}`;
    case "not":
      return `not_${isJsonArray(value) && isJsonObject(value[0]) ? setWord(value[0]) : ""}`;
    default:
      return name;
  }
}

/** A name made from a set's first matcher. */
function setWord(set: JsonObject): string {
  const [name = "any"] = Object.keys(set);
  return wordFor(name, set[name]) || name;
}

/**
 * Names stored in the expressions and regular expressions of a set. They usually equal the name of the named matcher.
 */
function givenNames(set: JsonObject): string[] {
  const keyed = [set.header_regexp, set.vars_regexp].flatMap((each) => Object.values(each ?? {}));
  const own = [set.expression ?? null, set.path_regexp ?? null, ...keyed];
  return textsOf(objectsOf(own).map(({ name }) => name ?? null));
}

/** Possible names for a matcher set, without `@`, the best name first. */
export function namesFor(set: JsonObject): string[] {
  const own = givenNames(set).filter((name) => /^[^\s{}"`#@]+$/.test(name));
  return [...own, setWord(set).replace(/_+$/, "") || "matcher"];
}
