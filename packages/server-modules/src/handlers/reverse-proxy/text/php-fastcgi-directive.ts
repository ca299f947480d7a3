import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import { readRoutes } from "serverfile/directives/read-block";
import type { Segment } from "serverfile/lexer/token";
import { TokenCursor } from "serverfile/lexer/token-cursor";
import { type Route, routeOf, subrouteHandler } from "serverfile/routes/route";
import { type Draft, onlyGiven } from "serverfile/values/draft";
import { fastcgiFields } from "./fastcgi-transport-text.ts";
import { readReverseProxy } from "./reverse-proxy-fields.ts";

/** Lines that `reverse_proxy` does not have, with their defaults. */
interface OwnLines {
  /** Members of the FastCGI transport. */
  readonly transport: Draft;
  /** File extensions of scripts, by default `.php`. */
  readonly extensions: string[];
  /** Index file of folders; `off` disables both redirect and rewrite. */
  readonly index: string;
  /** Files to try; empty for the default three. */
  readonly tryFiles: string[];
  /** The remaining tokens, for the proxy. */
  readonly cursor: TokenCursor;
}

/** Removes the FastCGI and file lines from the block and reads them. */
function readOwnLines(segment: Segment): OwnLines {
  const cursor = new TokenCursor(segment);
  const transport: Draft = {};
  let extensions = [".php"];
  let index = "index.php";
  let tryFiles: string[] = [];
  const takeWords = () => {
    const words = cursor.remainingArguments();
    cursor.delete(words.length + 1);
    return words;
  };
  while (cursor.next()) {
    while (cursor.nextInBlock(0)) {
      if (cursor.nesting !== 1) {
        continue;
      }
      const name = cursor.value;
      if (name === "split") {
        extensions = takeWords();
        if (extensions.length === 0) {
          throw cursor.argumentError();
        }
      } else if (name === "index") {
        const [file, ...more] = takeWords();
        if (file === undefined || more.length > 0) {
          throw cursor.argumentError();
        }
        index = file;
      } else if (name === "try_files") {
        tryFiles = takeWords();
        if (tryFiles.length === 0) {
          throw cursor.argumentError();
        }
      } else if (name === "resolve_root_symlink" || name === "capture_stderr") {
        takeWords(); // Caddy ignores the words of these lines
        transport[name] = true;
      } else {
        const reader = Object.hasOwn(fastcgiFields, name) ? fastcgiFields[name] : undefined;
        if (reader !== undefined) {
          const start = cursor.index;
          reader(cursor, transport);
          cursor.delete(cursor.index - start + 1);
        }
      }
    }
  }
  cursor.reset();
  return { transport, extensions, index, tryFiles, cursor };
}

/** Routes before the proxy: the first redirects folders to a final slash, the second rewrites to an existing file. */
function fileRoutes({ extensions, index, tryFiles }: OwnLines): Route[] {
  if (index === "off") {
    return [];
  }
  const indexInDirectory = `{http.request.uri.path}/${index}`;
  const isDefault = tryFiles.length === 0;
  const files = isDefault ? ["{http.request.uri.path}", indexInDirectory, index] : tryFiles;
  const hasFallback = isDefault || files.at(-1)?.endsWith(".php") === true;
  const routes: Route[] = [];
  if (files.includes(indexInDirectory)) {
    routes.push(
      routeOf(
        { file: { try_files: [indexInDirectory] }, not: [{ path: ["*/"] }] },
        {
          handler: "static_response",
          status_code: 308,
          headers: {
            Location: ["./{http.request.orig_uri.path.file_escaped}/{http.request.orig_uri.prefixed_query}"],
          },
        },
      ),
    );
  }
  const file = onlyGiven({
    try_files: files,
    try_policy: hasFallback ? "first_exist_fallback" : "",
    split_path: extensions,
  });
  routes.push(routeOf({ file }, { handler: "rewrite", uri: "{http.matchers.file.relative}" }));
  return routes;
}

/** `php_fastcgi address… { … }`: a PHP site behind FastCGI, in one directive. */
export const phpFastcgi: Directive = (context) => {
  context.cursor.next();
  const matcher = takeMatcher(context);
  const own = readOwnLines(context.cursor.nextSegment());
  const transport = { ...own.transport, protocol: "fastcgi", split_path: own.extensions };
  const handler: Draft = { handler: "reverse_proxy", transport };
  own.cursor.next();
  readReverseProxy(own.cursor, handler, context, (inner) => readRoutes({ ...context, cursor: inner }, true));
  const proxied = routeOf({ path: own.extensions.map((extension) => `*${extension}`) }, handler);
  const routes = [...fileRoutes(own), proxied];
  return matcher === undefined
    ? [{ kind: "routes", routes }]
    : [routeResult(routeOf(matcher, subrouteHandler(routes)))];
};
