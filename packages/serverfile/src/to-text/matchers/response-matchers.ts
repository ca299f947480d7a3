import type { JsonValue } from "server-core/json/json-value";
import { statusWord } from "../../matchers/response-matcher.ts";
import { type Line, line } from "../lines/line.ts";
import { Members } from "../members.ts";
import { headerMatcherLines } from "./matcher-kinds.ts";
import { definition } from "./named-matchers.ts";

/** `status …` and `header …`. @throws ServerError CONFIG_INEXPRESSIBLE */
export function responseMatcherLines(matcher: Members): Line[] {
  const statuses = matcher.list("status_code");
  const headers = matcher.take("headers");
  matcher.done("a response matcher");
  return [
    ...(statuses === undefined ? [] : [line("status", ...statuses.map(statusWord))]),
    ...(headers === undefined ? [] : headerMatcherLines(headers, matcher.pathOf("headers"))),
  ];
}

/** The named response matchers of one directive. */
export class ResponseMatchers {
  readonly #names = new Map<string, string>();
  /** Lines `@name …` for the directive's block. */
  readonly definitions: Line[] = [];

  /** Its name, `@` included. */
  nameOf(match: JsonValue, path: string): string {
    const key = JSON.stringify(match);
    const present = this.#names.get(key);
    if (present !== undefined) {
      return `@${present}`;
    }
    const lines = responseMatcherLines(new Members(match, path));
    const [first] = lines;
    const words = (first?.words ?? ["any"]).map((word) => (typeof word === "string" ? word : ""));
    const base = words
      .slice(0, 2)
      .join("_")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/_+$/, "");
    const taken = [...this.#names.values()];
    let name = base;
    for (let count = 2; taken.includes(name); count++) {
      name = `${base}_${count}`;
    }
    this.#names.set(key, name);
    this.definitions.push(definition(name, lines));
    return `@${name}`;
  }
}
