import { resolve } from "node:path";
import type { Exchange } from "http-engine/exchange";
import { compileFileTemplate } from "http-engine/placeholders";
import { compileGlob } from "server-core/glob/path-glob";

/** One entry of `hide`. */
interface Rule {
  /** Compares one component of a path; undefined for a rule that concerns whole paths. */
  readonly component: ((name: string) => boolean) | undefined;
  /** Path that is hidden together with everything below it; "" for a rule that concerns components. */
  readonly prefix: string;
  /** Compares the absolute path with the rule as a glob. */
  readonly whole: (path: string) => boolean;
}

/** A test that never matches. */
const never = () => false;

/** Compiles an entry. A relative path starts at the working folder. */
function compileRule(text: string): Rule {
  if (!text.includes("/")) {
    return { component: compileGlob(text) ?? never, prefix: "", whole: never };
  }
  const prefix = resolve(text);
  return { component: undefined, prefix, whole: compileGlob(prefix) ?? never };
}

/** True when a rule hides the path. Symbolic links are not resolved: the requested path is compared. */
function isHiddenBy(rules: readonly Rule[], path: string): boolean {
  const absolute = resolve(path);
  const components = absolute.split("/");
  return rules.some(
    ({ component, prefix, whole }) =>
      (component !== undefined && components.some(component)) ||
      (prefix !== "" && (absolute === prefix || absolute.startsWith(`${prefix}/`))) ||
      whole(absolute),
  );
}

/**
 * Compiles the list of hidden files, which count as missing. A name without a slash hides every path with that
 * component. Any other entry hides its path, everything below the path, and every path that it matches as a glob.
 * `.git` hides `/srv/.git/config` and `/srv/a/.git`; `/srv/private` hides this folder and everything below; `*.bak`
 * hides every file with that extension.
 * Source: Caddy 2.11
 */
export function compileHidden(hide: readonly string[]): (path: string, exchange: Exchange) => boolean {
  if (hide.length === 0) {
    return never;
  }
  const fixed = hide.filter((text) => !text.includes("{")).map(compileRule);
  const templates = hide.filter((text) => text.includes("{")).map((text) => compileFileTemplate(text));
  return (path, exchange) =>
    isHiddenBy(fixed, path) ||
    (templates.length > 0 &&
      isHiddenBy(
        templates.map((template) => compileRule(template(exchange))),
        path,
      ));
}
