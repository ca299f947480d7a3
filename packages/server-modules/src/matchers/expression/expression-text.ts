import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { line } from "serverfile/to-text/lines/line";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import { Members } from "serverfile/to-text/members";
import type { DraftValue } from "serverfile/values/draft";

/**
 * ```
 * expression `{method} == "GET" && path("/a")`
 * ```
 * becomes the set
 * ```json
 * { "expression": { "expr": "{http.request.method} == \"GET\" && path(\"/a\")", "name": "m" } }
 * ```
 * Several unquoted words are one expression without a name.
 */
const readMatcher: MatcherReader = (cursor) => {
  cursor.next();
  let read: DraftValue;
  if (cursor.countRemainingArguments() > 1) {
    read = cursor.remainingRaw().join(" ");
  } else {
    const expr = cursor.argument();
    read = cursor.matcherName === "" ? expr : { expr, name: cursor.matcherName };
  }
  if (cursor.next()) {
    throw cursor.error(
      "repeated expression matchers are not supported, combine them into one expression with &&",
    );
  }
  return read;
};

const writeMatcher: MatcherWriter = (value, path, matcherName) => {
  if (typeof value === "string") {
    // Several words are read as one expression without a name. Inside of another matcher, an expression has no name
    // either.
    const mayBeRaw = value.split(" ").length > 1 && !/[\n\r\t`#\\]| {2}|^ | $|(^| )[{}]( |$)/.test(value);
    if (matcherName !== "" && !mayBeRaw) {
      throw inexpressible(path, "an expression of one word has a name");
    }
    return [line("expression", matcherName === "" ? { quoted: value } : { raw: value })];
  }
  const members = new Members(value, path);
  const name = members.text("name") ?? "";
  const expr = members.text("expr") ?? "";
  members.done("an expression");
  if (name !== matcherName) {
    throw inexpressible(`${path}/name`, `the name of an expression is that of its matcher, ${matcherName}`);
  }
  return [line("expression", { quoted: expr })];
};

export const expressionMatcherText: ModuleText = { readMatcher, writeMatcher };
