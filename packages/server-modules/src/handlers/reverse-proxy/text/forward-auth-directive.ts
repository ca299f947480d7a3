import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import { readRoutes } from "serverfile/directives/read-block";
import type { Segment } from "serverfile/lexer/token";
import { TokenCursor } from "serverfile/lexer/token-cursor";
import { type Route, routeOf, routeToJson } from "serverfile/routes/route";
import { canonicalHeader } from "serverfile/values/canonical-header";
import { childOf, type Draft, setMember } from "serverfile/values/draft";
import { readReverseProxy } from "./reverse-proxy-fields.ts";

/** Copies the response field `from` to the request field `to`. Without `from` in the response, `to` is removed. */
function copyHeader(from: string, to: string): Route[] {
  const placeholder = `{http.reverse_proxy.header.${canonicalHeader(from)}}`;
  const name = canonicalHeader(to);
  const present = { not: [{ vars: { [placeholder]: [""] } }] };
  return [
    routeOf(undefined, { handler: "headers", request: { delete: [name] } }),
    routeOf(present, { handler: "headers", request: { set: { [name]: [placeholder] } } }),
  ];
}

/** Lines of the directive that `reverse_proxy` does not have. */
interface OwnLines {
  /** Path and query for the request to the authentication server. */
  readonly uri: string;
  /** Response fields to copy, by the target request field. */
  readonly headers: ReadonlyMap<string, string>;
  /** The remaining tokens, for the proxy. */
  readonly cursor: TokenCursor;
}

/** Removes `uri` and `copy_headers` from the block and reads them. */
function readOwnLines(segment: Segment): OwnLines {
  const cursor = new TokenCursor(segment);
  const headers = new Map<string, string>();
  let uri = "";
  while (cursor.next()) {
    while (cursor.nextInBlock(0)) {
      if (cursor.nesting !== 1) {
        continue;
      }
      if (cursor.value === "uri") {
        const value = cursor.argument();
        if (uri !== "") {
          throw cursor.error(`cannot re-declare uri: ${value}`);
        }
        uri = value;
        cursor.delete(2);
      } else if (cursor.value === "copy_headers") {
        const names = cursor.remainingArguments();
        let hadBlock = false;
        for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
          hadBlock = true;
          names.push(cursor.value);
        }
        cursor.delete(names.length + (hadBlock ? 3 : 1));
        for (const name of names) {
          const [from = "", to = from] = name.split(">");
          headers.set(from, to);
        }
        if (headers.size === 0) {
          throw cursor.argumentError();
        }
      }
    }
  }
  cursor.reset();
  if (uri === "") {
    throw cursor.errorAtStart("the 'uri' subdirective is required");
  }
  return { uri, headers, cursor };
}

/**
 * `forward_auth upstream { uri …; copy_headers …; <reverse_proxy lines> }`: asks an authentication server whether a
 * request is allowed. A 2xx response lets the request continue with the copied fields; any other response is sent to
 * the client.
 * ```
 * forward_auth auth:9091 {
 *   uri /verify
 *   copy_headers Remote-User
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "rewrite": { "method": "GET", "uri": "/verify" },
 *   "headers": {
 *     "request": {
 *       "set": {
 *         "X-Forwarded-Method": ["{http.request.method}"],
 *         "X-Forwarded-Uri": ["{http.request.uri}"]
 *       }
 *     }
 *   },
 *   "handle_response": [
 *     {
 *       "match": { "status_code": [2] },
 *       "routes": [
 *         { "handle": [{ "handler": "vars" }] },
 *         {
 *           "handle": [
 *             {
 *               "handler": "headers",
 *               "request": { "delete": ["Remote-User"] }
 *             }
 *           ]
 *         },
 *         {
 *           "match": [
 *             {
 *               "not": [
 *                 {
 *                   "vars": {
 *                     "{http.reverse_proxy.header.Remote-User}": [
 *                       ""
 *                     ]
 *                   }
 *                 }
 *               ]
 *             }
 *           ],
 *           "handle": [
 *             {
 *               "handler": "headers",
 *               "request": {
 *                 "set": {
 *                   "Remote-User": [
 *                     "{http.reverse_proxy.header.Remote-User}"
 *                   ]
 *                 }
 *               }
 *             }
 *           ]
 *         }
 *       ]
 *     }
 *   ],
 *   "upstreams": [{ "dial": "auth:9091" }]
 * }
 * ```
 * A copied field is deleted first, so that clients cannot forge it.
 */
export const forwardAuth: Directive = (context) => {
  context.cursor.next();
  const matcher = takeMatcher(context);
  const { uri, headers, cursor } = readOwnLines(context.cursor.nextSegment());
  const handler: Draft = { handler: "reverse_proxy", rewrite: { method: "GET", uri } };
  const set = childOf(childOf(childOf(handler, "headers"), "request"), "set");
  setMember(set, "X-Forwarded-Method", ["{http.request.method}"]);
  setMember(set, "X-Forwarded-Uri", ["{http.request.uri}"]);
  const copies = [...headers.keys()].sort().flatMap((from) => copyHeader(from, headers.get(from) ?? from));
  handler.handle_response = [
    {
      match: { status_code: [2] },
      routes: [routeOf(undefined, { handler: "vars" }), ...copies].map(routeToJson),
    },
  ];
  cursor.next();
  readReverseProxy(cursor, handler, context, (inner) => readRoutes({ ...context, cursor: inner }, true));
  return [routeResult(routeOf(matcher, handler))];
};
