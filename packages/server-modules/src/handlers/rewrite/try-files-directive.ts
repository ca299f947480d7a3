import { type Directive, routeResult } from "serverfile/directives/directive";
import { type Route, routeOf } from "serverfile/routes/route";
import { onlyGiven } from "serverfile/values/draft";

/**
 * Policies of the matcher `file`. They are checked while the text is read, as in Caddy, so that an error has
 * a line number.
 */
const policies = new Set([
  "first_exist",
  "first_exist_fallback",
  "largest_size",
  "smallest_size",
  "most_recently_modified",
]);

/**
 * `try_files file… { policy … }`: rewrites to the first existing file; an entry with a query keeps the query. Files up
 * to an entry with a query share a route. If there are several routes, they share a group, so that only the first
 * matching route runs.
 * ```
 * try_files {path} {path}/ /index.php?{query}
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "group": "group0",
 *     "match": [
 *       {
 *         "file": {
 *           "try_files": ["{http.request.uri.path}", "{http.request.uri.path}/"]
 *         }
 *       }
 *     ],
 *     "handle": [{ "handler": "rewrite", "uri": "{http.matchers.file.relative}" }]
 *   },
 *   {
 *     "group": "group0",
 *     "match": [{ "file": { "try_files": ["/index.php"] } }],
 *     "handle": [
 *       {
 *         "handler": "rewrite",
 *         "uri": "{http.matchers.file.relative}?{http.request.uri.query}"
 *       }
 *     ]
 *   }
 * ]
 * ```
 */
export const tryFiles: Directive = ({ cursor, groups }) => {
  cursor.next();
  const files = cursor.someArguments();
  let policy = "";
  while (cursor.nextInBlock(0)) {
    if (cursor.value === "policy") {
      if (policy !== "") {
        throw cursor.error("try policy already configured");
      }
      policy = cursor.argument();
      if (!policies.has(policy)) {
        throw cursor.error(`unrecognized try policy: ${policy}`);
      }
    }
  }
  const routes: Route[] = [];
  const add = (list: readonly string[], query: string) => {
    const file = onlyGiven({ try_files: [...list], try_policy: policy });
    routes.push(routeOf({ file }, { handler: "rewrite", uri: `{http.matchers.file.relative}${query}` }));
  };
  let plain: string[] = [];
  for (const file of files) {
    const query = file.indexOf("?");
    if (query === -1) {
      plain.push(file);
      continue;
    }
    if (plain.length > 0) {
      add(plain, "");
      plain = [];
    }
    add([file.slice(0, query)], file.slice(query));
  }
  if (plain.length > 0) {
    add(plain, "");
  }
  const group = routes.length > 1 ? groups.next() : undefined;
  return routes.map((route) => routeResult(group === undefined ? route : { ...route, group }));
};
