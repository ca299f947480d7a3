import type { Exchange } from "http-engine/exchange";
import type { RequestLineChange } from "http-engine/exchange-request";
import { compileTemplate } from "http-engine/placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { cleanPath } from "server-core/uri/clean-path";
import { percentDecode } from "server-core/uri/percent-encoding";
import type { RewriteConfig } from "./rewrite-config.ts";
import { compileQueryChanges } from "./rewrite-query.ts";
import { compileUri } from "./rewrite-uri.ts";
import { stripPrefix, stripSuffix } from "./strip-path.ts";

type Step = (exchange: Exchange) => void;

/** Replaces the first `limit` occurrences; 0 or less replaces all. */
function replaceUpTo(text: string, find: string, replace: string, limit: number): string {
  const parts = text.split(find);
  if (limit <= 0 || parts.length <= limit + 1) {
    return parts.join(replace);
  }
  return [...parts.slice(0, limit), parts.slice(limit).join(find)].join(replace);
}

/**
 * Compiles the removal of a part of the path. The remaining path may be relative (`%2e%2e/private` of
 * `/assets%2e%2e/private`), so its dot segments are resolved before a folder is prepended.
 */
function compileStrip(text: string, strip: (path: string, part: string) => string, rooted: boolean): Step {
  const template = compileTemplate(text);
  return (exchange) => {
    const filled = template(exchange);
    const part = rooted && !filled.startsWith("/") ? `/${filled}` : filled;
    const rawPath = cleanPath(exchange.rawPath, !part.includes("//"));
    const stripped = strip(rawPath, part);
    exchange.rewrite({ rawPath: stripped });
    if (stripped !== rawPath) {
      const path = percentDecode(stripped) ?? stripped;
      const clean = cleanPath(path.startsWith("/") ? path : `/${path}`, false);
      // If an escaped slash becomes the first character, it is decoded as the root of the path.
      const isRootEscaped = !stripped.startsWith("/") && path.startsWith("/");
      if (clean !== exchange.path || isRootEscaped) {
        exchange.rewrite({ path: clean });
      }
    }
  };
}

/**
 * Changes the escaped path, or the decoded path if the result would have a broken escape. Source: Caddy 2.11
 */
function changedPath(rawPath: string, change: (text: string) => string): RequestLineChange {
  const changed = change(rawPath);
  const path =
    changed !== rawPath && percentDecode(changed) === undefined ? percentDecode(rawPath) : undefined;
  return path === undefined ? { rawPath: changed } : { path: change(path) };
}

/** Replaces a text in path and query. */
function compileSubstring(config: NonNullable<RewriteConfig["uri_substring"]>[number]): Step {
  const [find, replace] = [compileTemplate(config.find ?? ""), compileTemplate(config.replace ?? "")];
  const mergeSlashes = !(config.find ?? "").includes("//");
  return (exchange) => {
    const from = find(exchange);
    if (from !== "") {
      const change = (text: string) => replaceUpTo(text, from, replace(exchange), config.limit ?? 0);
      const query = change(exchange.query.slice(1));
      exchange.rewrite({
        ...changedPath(cleanPath(exchange.rawPath, mergeSlashes), change),
        query: query === "" && exchange.query !== "?" ? "" : `?${query}`,
      });
    }
  };
}

/** Replaces matches in the escaped path. */
function compileRegexp(config: NonNullable<RewriteConfig["path_regexp"]>[number]): Step {
  const regexp = new LinearRegexp(config.find);
  const replace = compileTemplate(config.replace ?? "");
  return (exchange) => {
    const text = replace(exchange);
    exchange.rewrite(changedPath(exchange.rawPath, (path) => regexp.replaceAll(path, text)));
  };
}

/**
 * Compiles changes of the request line: method, then URI, prefix, suffix, texts, regular expressions, query. Each step
 * gets the result of the previous step. A placeholder of the path is read when its step runs.
 * @throws ServerError MODULE_CONFIG
 */
export function compileRewrite(config: RewriteConfig): Step {
  const steps: Step[] = [];
  if (config.method) {
    const method = compileTemplate(config.method);
    steps.push((exchange) => exchange.rewrite({ method: method(exchange).toUpperCase() }));
  }
  if (config.uri) {
    const uri = compileUri(config.uri);
    steps.push((exchange) => exchange.rewrite(uri(exchange)));
  }
  if (config.strip_path_prefix) {
    steps.push(compileStrip(config.strip_path_prefix, stripPrefix, true));
  }
  if (config.strip_path_suffix) {
    steps.push(compileStrip(config.strip_path_suffix, stripSuffix, false));
  }
  steps.push(...(config.uri_substring ?? []).map(compileSubstring));
  steps.push(...(config.path_regexp ?? []).map(compileRegexp));
  if (config.query) {
    const query = compileQueryChanges(config.query);
    steps.push((exchange) => exchange.rewrite({ query: query(exchange) }));
  }
  return (exchange) => {
    for (const step of steps) {
      step(exchange);
    }
  };
}
