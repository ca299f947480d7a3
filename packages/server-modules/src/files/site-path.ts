import { posix } from "node:path";
import type { Exchange } from "http-engine/exchange";
import { compileFileTemplate, isFixed, type Template } from "http-engine/placeholders";

/** Patterns that {@link posix.normalize} may change in a path with a leading slash. */
const unclean = /\/[./]/;

/**
 * Joins a path of a request to a root so that `..` in the path never leads out of the root.
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

/** Compiles the root of a site. Default: `{http.vars.root}`; if that is empty, the working folder. */
export function compileRoot(root: string | null | undefined): (exchange: Exchange) => string {
  const normalize = (path: string) => posix.normalize(path || ".").replace(/(?<=.)\/$/, "");
  // An empty placeholder becomes the working folder: "" before a slash would be the machine's root.
  const template = compileFileTemplate(root || "{http.vars.root}", (value) => value || ".");
  if (isFixed(template)) {
    const fixed = normalize((template as () => string)());
    return () => fixed;
  }
  return (exchange) => normalize(template(exchange));
}

/**
 * Compiles the check whether a request names an existing file system. Only the operating system's file system exists,
 * under the names "" and `default`.
 */
export function compileFileSystem(name: string | null | undefined): (exchange: Exchange) => boolean {
  const template: Template = name ? compileFileTemplate(name) : (exchange) => exchange.varText("fs");
  return (exchange) => {
    const found = template(exchange);
    return found === "" || found === "default";
  };
}
