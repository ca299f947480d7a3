import type { JsonValue } from "server-core/json/json-value";
import { statusWord } from "../../matchers/response-matcher.ts";
import { given, type Line, line, textOf } from "../lines/line.ts";
import { Members } from "../members.ts";
import { headerMatcherLines } from "./matcher-kinds.ts";
import { slug } from "./name-matcher.ts";
import { MatcherNames } from "./named-matchers.ts";

/** Writes `status …` and `header …`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function responseMatcherLines(matcher: Members): Line[] {
  const [statuses, headers] = [matcher.list("status_code"), matcher.take("headers")];
  matcher.done("a response matcher");
  return [
    ...given(statuses).map((codes) => line("status", ...codes.map(statusWord))),
    ...given(headers).flatMap((each) => headerMatcherLines(each, matcher.pathOf("headers"))),
  ];
}

/** The named response matchers of one directive. */
export class ResponseMatchers extends MatcherNames {
  /** Returns the name of the matcher, with `@`. */
  nameOf(match: JsonValue, path: string): string {
    const lines = responseMatcherLines(new Members(match, path));
    const [first = line("any")] = lines;
    return this.wordOf(match, [slug(first.words.slice(0, 2).map(textOf).join("_"))], () => lines);
  }
}
