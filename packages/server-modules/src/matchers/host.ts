import { domainToASCII } from "node:url";
import type { Exchange } from "http-engine/exchange";
import type { HttpMatcher } from "http-engine/handler";
import { compileTemplate } from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** `*` matches one whole label: `*.example.com`, `api.*.example.com`. */
function matchesLabels(pattern: readonly string[], host: string): boolean {
  const labels = host.split(".");
  return (
    labels.length === pattern.length &&
    pattern.every((label, index) => (label === "*" ? labels[index] !== "" : label === labels[index]))
  );
}

/** A separate class for a single name, because this case is the most frequent. */
class OneHost implements HttpMatcher {
  readonly exactHosts: readonly string[];

  /** @param names exactly one name, lower case */
  constructor(names: readonly string[]) {
    this.exactHosts = names;
  }

  matches({ host }: Exchange): boolean {
    return host === this.exactHosts[0];
  }
}

/** Creates the matcher for names without wildcards. The router reads `exactHosts` to find routes by name. */
function exactHosts(names: readonly string[]): HttpMatcher {
  if (names.length === 1) {
    return new OneHost(names);
  }
  const known = new Set(names);
  return { exactHosts: [...known], matches: ({ host }) => known.has(host) };
}

/**
 * Converts a name to the form that clients send: non-ASCII letters become punycode (`bücher.example`:
 * `xn--bcher-kva.example`).
 */
function asAsked(name: string): string {
  const labels = name
    .split(".")
    .map((label) => (/[^\0-\x7f]/.test(label) ? domainToASCII(label) || label : label));
  return labels.join(".");
}

/** @throws ServerError MODULE_CONFIG for a repeated name, because it is likely a typing error */
function checkRepeated(names: readonly string[]): void {
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const lower = asAsked(name).toLowerCase();
    const first = seen.get(lower);
    if (first !== undefined) {
      throw new ServerError("MODULE_CONFIG", `host at index ${first} is repeated at index ${index}: ${name}`);
    }
    seen.set(lower, index);
  }
}

/** Non-ASCII names are compared as punycode. A repeated name refuses the config. */
export const hostMatcher = defineModule({
  id: "http.matchers.host",
  config: z
    .array(z.string())
    .describe(
      "Host names; a request matches when it asks for one of them. Case and port do not count, `*` is one label.",
    ),
  provision(names): HttpMatcher {
    if (names.length === 1 && /^[a-z0-9.-]+$/.test(names[0] ?? "")) {
      return new OneHost(names);
    }
    checkRepeated(names);
    const lower = names.map((name) =>
      asAsked(name)
        .toLowerCase()
        .replace(/^\[(.*)\]$/, "$1"),
    );
    if (!lower.some((name) => /[*{]/.test(name))) {
      return exactHosts(lower);
    }
    const exact = new Set(lower.filter((name) => !/[*{]/.test(name)));
    const wildcards = lower
      .filter((name) => name.includes("*") && !name.includes("{"))
      .map((name) => name.split("."));
    // Templates keep their case, because placeholder names of headers and variables may contain upper case.
    const templates = names.filter((name) => name.includes("{")).map(compileTemplate);
    const matchesTemplate = (exchange: Exchange) => (template: (exchange: Exchange) => string) =>
      matchesLabels(template(exchange).toLowerCase().split("."), exchange.host);
    return {
      matches(exchange) {
        const { host } = exchange;
        return (
          exact.has(host) ||
          wildcards.some((pattern) => matchesLabels(pattern, host)) ||
          templates.some(matchesTemplate(exchange))
        );
      },
    };
  },
});
