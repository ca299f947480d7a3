import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";
import { line } from "serverfile/to-text/lines/line";
import { type FlatRoute, groupNumber } from "serverfile/to-text/routes/flat-route";
import type { RunWriter } from "serverfile/to-text/routes/handler-writer";

/** The rewrite target of every `try_files`. A route with a different target does not belong to a `try_files`. */
const relative = "{http.matchers.file.relative}";

/** One route of `try_files`: files that share a query. */
interface Attempt {
  /** Files in the order in which they are tried. An attempt with a query has exactly one file. */
  readonly files: readonly string[];
  /** Policy of the matcher `file`; "": the default, `first_exist`. */
  readonly policy: string;
  /** Query with its question mark; "" without a query. */
  readonly query: string;
}

/** Parses a route as one attempt; undefined for a route that the directive would not create. */
function attemptOf({ match, handler }: FlatRoute): Attempt | undefined {
  const set = isJsonArray(match) && match.length === 1 ? match[0] : undefined;
  const file = isJsonObject(set) && Object.keys(set).join() === "file" ? set.file : undefined;
  if (!isJsonObject(file) || !isJsonObject(handler) || handler.handler !== "rewrite") {
    return undefined;
  }
  const { try_files: files, try_policy: policy = "", ...more } = file;
  const { uri } = handler;
  if (
    Object.keys(more).length > 0 ||
    Object.keys(handler).length !== 2 ||
    typeof uri !== "string" ||
    !uri.startsWith(relative) ||
    !isTexts(files) ||
    typeof policy !== "string"
  ) {
    return undefined;
  }
  const query = uri.slice(relative.length);
  const [only, second] = files;
  const fits = query === "" || (query.startsWith("?") && only !== undefined && second === undefined);
  return fits && !files.some((each) => each.includes("?")) ? { files, policy, query } : undefined;
}

/** Narrows a JSON value to a list of texts. */
function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return isJsonArray(value) && value.every((each) => typeof each === "string");
}

/**
 * Writes routes as `try_files`: one route without a group, or several of one group. The whole group must consist of
 * such routes, because a group with other routes would lose its meaning.
 * @returns undefined when the routes have a different form
 */
export const tryFilesAt: RunWriter = (routes, at) => {
  const [first] = routes.slice(at, at + 1);
  const group = first?.group;
  const attempts: Attempt[] = [];
  for (const route of routes.slice(at)) {
    const attempt = route.group === group ? attemptOf(route) : undefined;
    const before = attempts.at(-1);
    const isFirst = before === undefined;
    const continues =
      group !== undefined &&
      before?.policy === attempt?.policy &&
      (before?.query !== "" || attempt?.query !== "");
    if (attempt === undefined || (!isFirst && !continues)) {
      break;
    }
    attempts.push(attempt);
  }
  const [one, more] = attempts;
  const others = routes.filter((route) => route.group === group).length > attempts.length;
  if (one === undefined || (group !== undefined && (more === undefined || others))) {
    return undefined;
  }
  const words = attempts.flatMap(({ files, query }) => files.map((each) => each + query));
  const block = one.policy === "" ? undefined : [line("policy", one.policy)];
  const { length: count } = attempts;
  const numbers = count > 1 ? { ownGroups: 1, firstGroup: groupNumber(group) } : {};
  return { written: { directive: "try_files", words, block }, count, more: numbers };
};
