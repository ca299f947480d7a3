import { isJsonArray, type JsonValue } from "server-core/json/json-value";
import { inexpressible } from "../inexpressible.ts";
import { hasOnly } from "../json-lists.ts";
import { Members } from "../members.ts";
import type { SiteDraft } from "../sites/site-draft.ts";
import type { Statement } from "./route-block.ts";
import type { RouteWriter } from "./write-routes.ts";

const status = "\\{http\\.error\\.status_code\\}";
/** `{http.error.status_code} >= 500 && {http.error.status_code} <= 599` */
const classPattern = new RegExp(`^${status} >= (\\d)00 && ${status} <= \\1(?:99)$`);
/** `{http.error.status_code} in [404, 405]` */
const codesPattern = new RegExp(`^${status} in \\[(\\d{3}(?:, \\d{3})*)\\]$`);

/** The status codes in the matchers of an error route, as words of `handle_errors`; undefined for other matchers. */
function errorCodes(match: JsonValue | undefined): string[] | undefined {
  if (match === undefined) {
    return [];
  }
  const set = isJsonArray(match) && match.length === 1 ? match[0] : undefined;
  const expression = hasOnly(set, "expression") ? set.expression : undefined;
  const codes = `${expression ?? ""}`.split(" || ").map((condition) => {
    const [, digit] = classPattern.exec(condition) ?? [];
    return digit === undefined ? codesPattern.exec(condition)?.[1]?.split(", ") : [`${digit}xx`];
  });
  return codes.includes(undefined) ? undefined : codes.flatMap((each) => each ?? []);
}

/** The `handle_errors` lines of a site. @throws ServerError CONFIG_INEXPRESSIBLE */
export function errorStatements({ errors }: SiteDraft, writer: RouteWriter): Statement[] {
  const { routes, path: listPath } = errors;
  const list = routes === undefined ? [] : (new Members({ routes }, listPath).children("routes") ?? []);
  return list.map((route, index): Statement => {
    const path = `${listPath}/${index}`;
    const codes = errorCodes(route.take("match"));
    if (codes === undefined) {
      throw inexpressible(`${path}/match`, "handle_errors matches by status codes only");
    }
    const [handler, more] = route.children("handle") ?? [];
    route.done("handle_errors");
    if (handler === undefined || more !== undefined || handler.text("handler") !== "subroute") {
      throw inexpressible(`${path}/handle`, "handle_errors is one subroute");
    }
    const block = writer.sorted(handler.take("routes"), `${path}/handle/0/routes`);
    handler.done("handle_errors");
    const written = { directive: "handle_errors", words: codes, block, blocks: [block] };
    return writer.statement(written, undefined, path, { isRoute: false });
  });
}
