import { posix } from "node:path";
import type { Exchange } from "../../http/exchange.ts";
import { HttpError } from "../../http/http-error.ts";
import { compileTemplate, isFixed, type Template } from "../../http/placeholders.ts";

/** What {@link posix.normalize} may change in a path that begins with a slash. */
const unclean = /\/[./]/;

/**
 * Joins a path of a request to a root so that the result is at or below the root, whatever `..` the path holds.
 * A final slash stays.
 * @param path decoded; must be free of NUL
 */
export function joinSitePath(root: string, path: string): string {
  if (
    path.startsWith("/") &&
    root.startsWith("/") &&
    !root.endsWith("/") &&
    !unclean.test(path) &&
    !unclean.test(root)
  ) {
    return root + path;
  }
  const clean = posix.normalize(`/${path}`);
  return posix.join(root === "" ? "." : root, clean);
}

/** Prepares the root of a site; `{http.vars.root}` where the config has none, the working folder where that is empty. */
export function compileRoot(root: string | null | undefined): (exchange: Exchange) => string {
  const normalize = (path: string) => posix.normalize(path || ".").replace(/(?<=.)\/$/, "");
  const template = compileTemplate(root || "{http.vars.root}");
  if (isFixed(template)) {
    const fixed = normalize((template as () => string)());
    return () => fixed;
  }
  return (exchange) => normalize(template(exchange));
}

/**
 * Prepares the check of a file system's name. There is one, that of the machine: "" and `default`.
 * @throws HttpError 500 when a request asks for another
 */
export function compileFileSystem(name: string | null | undefined): (exchange: Exchange) => void {
  const template: Template = name ? compileTemplate(name) : (exchange) => exchange.varText("fs");
  return (exchange) => {
    const found = template(exchange);
    if (found !== "" && found !== "default") {
      throw new HttpError(500, `use of unregistered filesystem '${found}'`);
    }
  };
}
