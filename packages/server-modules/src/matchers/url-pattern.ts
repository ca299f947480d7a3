import type { Exchange } from "http-engine/exchange";
import type { HttpMatcher } from "http-engine/handler";
import { setPlaceholder } from "http-engine/placeholders";
import { messageOf, ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { cleanPath } from "server-core/uri/clean-path";
import { escapePath } from "server-core/uri/percent-encoding";
import { z } from "zod";
import { type CompiledComponent, compileComponent } from "./url-pattern-syntax.ts";

const configSchema = z
  .union([
    z.string(),
    z.strictObject({
      pattern: z.string().describe("A WHATWG URL pattern: `/books/:id`, `https://*.example.com/*`."),
      base_url: z.string().nullish().describe("What a relative pattern stands on."),
      ignore_case: z.boolean().nullish().describe("Whether case does not count."),
    }),
  ])
  .describe(
    "A WHATWG URL pattern, or an object with one. Groups are in `{http.url_pattern.<component>.<group>}`.",
  );

const components = ["protocol", "hostname", "port", "pathname", "search"] as const;

type Component = (typeof components)[number];

/** Options of each component: a name in a path ends at `/`, in a host name at a dot. */
const options = {
  protocol: { delimiter: "", prefix: "" },
  hostname: { delimiter: ".", prefix: "" },
  port: { delimiter: "", prefix: "" },
  pathname: { delimiter: "/", prefix: "/" },
  search: { delimiter: "", prefix: "" },
};

/** A component of the URL that is compared; a component without a pattern is not compared. */
type Test = { readonly name: Component; readonly compiled: CompiledComponent };

/** Parses a pattern. Without a scheme and a base, it is a path pattern for any scheme, host and port. */
function parsePattern(pattern: string, baseUrl: string): URLPattern {
  if (/\{[^{}]*(?::[\p{ID_Start}$_]|\*|\()[^{}]*\}/u.test(pattern)) {
    // In the canonical form, the platform drops the braces.
    const text = `URL pattern ${JSON.stringify(pattern)}: a group inside braces is not supported`;
    throw new ServerError("MODULE_CONFIG", text);
  }
  const isRelative = baseUrl === "" && !pattern.includes("://");
  try {
    return isRelative
      ? new URLPattern(`*://*:*${pattern}`)
      : baseUrl === ""
        ? new URLPattern(pattern)
        : new URLPattern(pattern, baseUrl);
  } catch (error) {
    throw new ServerError(
      "MODULE_CONFIG",
      `unable to parse URL pattern ${JSON.stringify(pattern)}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** The path of a pattern, which is checked for double slashes. */
function pathOf(pattern: string): string {
  const cut = pattern.indexOf("://");
  if (cut === -1) {
    return pattern;
  }
  const slash = pattern.indexOf("/", cut + 3);
  return slash === -1 ? "" : pattern.slice(slash);
}

/** The URL of the request; undefined for an invalid host. */
function urlOf(exchange: Exchange, mergeSlashes: boolean): URL | undefined {
  // The decoded path is escaped again, so that requests cannot bypass a pattern with encoded slashes or dots.
  const path = escapePath(cleanPath(exchange.path, mergeSlashes)).replace(/%2[1789A]/g, decodeURIComponent);
  return URL.parse(`${exchange.scheme}://${exchange.hostport}${path}${exchange.query}`) ?? undefined;
}

/**
 * `/books/:id` on `/books/42` sets `{http.url_pattern.pathname.id}` to `42`. No placeholder is set when a later
 * component does not match.
 */
export const urlPatternMatcher = defineModule({
  id: "http.matchers.url_pattern",
  config: configSchema,
  provision(given): HttpMatcher {
    const config = typeof given === "string" ? { pattern: given } : given;
    const parsed = parsePattern(config.pattern, config.base_url ?? "");
    const tests: Test[] = components
      .filter((name) => parsed[name] !== "*")
      .map((name) => ({
        name,
        compiled: compileComponent(parsed[name], options[name], config.ignore_case === true),
      }));
    const mergeSlashes = !pathOf(config.pattern).includes("//");

    function componentOf(url: URL, name: Component): string {
      const text = url[name];
      return name === "protocol" ? text.slice(0, -1) : name === "search" ? text.slice(1) : text;
    }

    return {
      matches(exchange) {
        const url = urlOf(exchange, mergeSlashes);
        if (url === undefined) {
          return false;
        }
        const found: [name: string, value: string][] = [];
        for (const { name, compiled } of tests) {
          const match = compiled.regexp.find(componentOf(url, name));
          if (match === undefined) {
            return false;
          }
          for (const [index, group] of compiled.names.entries()) {
            found.push([`http.url_pattern.${name}.${group}`, match.groups[index + 1] ?? ""]);
          }
        }
        for (const [name, value] of found) {
          setPlaceholder(exchange, name, value);
        }
        return true;
      },
    };
  },
});
