import type { JsonValue } from "server-core/json/json-value";
import { rangeWords } from "../../values/private-ranges.ts";
import { inexpressible } from "../inexpressible.ts";
import { type Line, line, type Word } from "../lines/line.ts";
import { Members } from "../members.ts";
import type { MatcherWriter } from "./matcher-writer.ts";

/** A value that must be a list of texts. @throws ServerError CONFIG_INEXPRESSIBLE */
export function listOfTexts(value: JsonValue, path: string): string[] {
  return new Members({ list: value }, path).texts("list") ?? [];
}

/** Writer for a matcher that is a list of words: `{ "path": ["/a", "/b"] }` becomes `path /a /b`. */
export function wordLines(name: string): MatcherWriter {
  return (value, path) => [line(name, ...(value === null ? [] : listOfTexts(value, path)))];
}

/** Writer for a matcher that is a list of ranges; all private ranges become the word `private_ranges`. */
export function rangeLines(name: string): MatcherWriter {
  return (value, path) => {
    const members = new Members(value, path);
    const list = members.texts("ranges") ?? [];
    members.done(`the matcher ${name}`);
    return [line(name, ...rangeWords(list))];
  };
}

/**
 * Writes `[name] pattern`. The name is left out when the reader would use the same name, which is the name of the
 * matcher.
 */
export function regexpWords(
  value: JsonValue,
  path: string,
  matcherName: string,
  key: readonly string[],
): Word[] {
  const members = new Members(value, path);
  const name = members.text("name") ?? "";
  const pattern = members.text("pattern") ?? "";
  members.done("a regular expression");
  if (name === "" && matcherName !== "") {
    throw inexpressible(path, "a regular expression of a named matcher has a name");
  }
  return name === matcherName ? [...key, pattern] : [name, ...key, pattern];
}

/** Writer for regular expressions by key; each key has a line. */
export function keyedRegexps(name: string): MatcherWriter {
  return (value, path, matcherName) =>
    new Members(value, path)
      .entries()
      .map(([key, each]) => line(name, ...regexpWords(each, `${path}/${key}`, matcherName, [key])));
}

/** Writes the lines of `header`, for requests and responses. */
export function headerMatcherLines(value: JsonValue, path: string): Line[] {
  return new Members(value, path).entries().flatMap(([field, values]) => {
    if (values === null) {
      return [line("header", `!${field}`)];
    }
    const list = listOfTexts(values, `${path}/${field}`);
    if (list.length === 0) {
      throw inexpressible(`${path}/${field}`, "a header is matched by values, or by its absence (null)");
    }
    return list.map((each) => line("header", field, each));
  });
}
