import { inexpressible } from "../inexpressible.ts";
import { Members } from "../members.ts";
import { errorCodes } from "../sites/error-codes.ts";
import type { SiteDraft } from "../sites/site-draft.ts";
import type { Statement } from "./route-block.ts";
import type { RouteWriter } from "./write-routes.ts";

/** The lines `handle_errors` of a site. @throws ServerError CONFIG_INEXPRESSIBLE */
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
