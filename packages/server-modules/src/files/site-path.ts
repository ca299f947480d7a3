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

/** The machine's own file system. */
export const ownFiles = "own files";

/**
 * Compiles the choice of the file system. The names "" and `default` mean the machine's own.
 * @param others further file systems, by name
 * @returns a function that returns undefined for an unknown name
 */
export function compileFileSystem<Other>(
  name: string | null | undefined,
  others: ReadonlyMap<string, Other>,
): (exchange: Exchange) => Other | typeof ownFiles | undefined {
  const template: Template = name ? compileFileTemplate(name) : (exchange) => exchange.varText("fs");
  return (exchange) => {
    const found = template(exchange);
    return found === "" || found === "default" ? ownFiles : others.get(found);
  };
}
