import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";
import { textsOf } from "serverfile/to-text/json-lists";
import { joined, type Line, line, linesOf } from "serverfile/to-text/lines/line";
import { Members } from "serverfile/to-text/members";
import type { FlatRoute } from "serverfile/to-text/routes/flat-route";
import type { RunWriter } from "serverfile/to-text/routes/handler-writer";
import { proxyParts } from "./reverse-proxy-lines.ts";
import { fastcgiLines } from "./transport-lines.ts";

const directory = "{http.request.uri.path}";

/** Writes a value as JSON text, for comparison. */
function jsonOf(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null);
}

/** A nested member of a value; undefined when a step is missing. */
function memberOf(value: JsonValue | undefined, ...keys: (string | number)[]): JsonValue | undefined {
  let at = value;
  for (const key of keys) {
    at =
      typeof key === "number"
        ? isJsonArray(at)
          ? at[key]
          : undefined
        : isJsonObject(at)
          ? at[key]
          : undefined;
  }
  return at;
}

/** The index file, if the route redirects folders to a final slash; otherwise undefined. */
function redirectedIndex({ match, handler }: FlatRoute): string | undefined {
  const [file = ""] = textsOf(memberOf(match, 0, "file", "try_files"));
  const wanted = {
    handler: "static_response",
    headers: {
      Location: ["./{http.request.orig_uri.path.file_escaped}/{http.request.orig_uri.prefixed_query}"],
    },
    status_code: 308,
  };
  const isIt =
    file.startsWith(`${directory}/`) &&
    jsonOf(memberOf(match, 0, "not")) === '[{"path":["*/"]}]' &&
    isJsonObject(handler) &&
    Object.entries(wanted).every(([key, value]) => jsonOf(handler[key]) === jsonOf(value));
  return isIt ? file.slice(directory.length + 1) : undefined;
}

/** The script extensions, if the route is the proxy's route; otherwise undefined. */
function proxiedExtensions({ match, handler }: FlatRoute): string[] | undefined {
  const extensions = textsOf(memberOf(handler, "transport", "split_path"));
  const paths = textsOf(memberOf(match, 0, "path"));
  const isIt =
    memberOf(handler, "handler") === "reverse_proxy" &&
    memberOf(handler, "transport", "protocol") === "fastcgi" &&
    extensions.length > 0 &&
    jsonOf(match) === jsonOf([{ path: extensions.map((each) => `*${each}`) }]) &&
    paths.length === extensions.length;
  return isIt ? extensions : undefined;
}

/** The tried files, if the route rewrites to an existing file; otherwise undefined. */
function triedFiles(
  { match, handler, group }: FlatRoute,
  extensions: readonly string[],
): string[] | undefined {
  const file = memberOf(match, 0, "file");
  const isIt =
    group === undefined &&
    jsonOf(memberOf(file, "split_path")) === jsonOf([...extensions]) &&
    jsonOf(handler) === '{"handler":"rewrite","uri":"{http.matchers.file.relative}"}';
  return isIt ? textsOf(memberOf(file, "try_files")) : undefined;
}

/**
 * Writes the routes at a position as `php_fastcgi`: a redirect, a rewrite, and the proxy. The redirect and the rewrite
 * are optional.
 * @returns undefined when the routes differ from this form
 */
export const phpRoutesAt: RunWriter = (routes, at, context) => {
  const [first, second, third] = routes.slice(at, at + 3);
  const redirected = first === undefined ? undefined : redirectedIndex(first);
  const rewriteRoute = redirected === undefined ? first : second;
  const following = redirected === undefined ? second : third;
  const lone = first === undefined || redirected !== undefined ? undefined : proxiedExtensions(first);
  const proxy = lone === undefined ? following : first;
  const extensions = proxy === undefined ? undefined : (lone ?? proxiedExtensions(proxy));
  if (
    proxy === undefined ||
    rewriteRoute === undefined ||
    extensions === undefined ||
    proxy.group !== undefined
  ) {
    return undefined;
  }
  const files = lone === undefined ? triedFiles(rewriteRoute, extensions) : [];
  if (files === undefined) {
    return undefined;
  }
  const lines: Line[] = extensions.join() === ".php" ? [] : [line("split", ...extensions)];
  const index = redirected ?? "index.php";
  if (lone !== undefined) {
    lines.push(line("index", "off"));
  } else {
    const usual = [directory, `${directory}/${index}`, index];
    if (index !== "index.php") {
      lines.push(line("index", index));
    }
    const isUsual = jsonOf(files) === jsonOf(usual);
    if (!isUsual) {
      lines.push(line("try_files", ...files));
    }
  }
  const handler = new Members(proxy.handler, proxy.handlerPath);
  handler.take("handler");
  const transport = handler.child("transport");
  transport?.take("protocol");
  transport?.take("split_path");
  if (transport !== undefined) {
    lines.push(...fastcgiLines(transport));
  }
  const { words, block = [], blocks } = proxyParts(handler, context, false);
  handler.done("the directive php_fastcgi");
  const written = {
    directive: "php_fastcgi",
    words,
    block: lines.length === 0 && linesOf(block).length === 0 ? undefined : joined(lines, block),
    ...(blocks !== undefined && { blocks }),
  };
  return {
    written,
    count: lone !== undefined ? 1 : redirected === undefined ? 2 : 3,
    more: { isRoute: false },
  };
};
