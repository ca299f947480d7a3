import { LinearRegexp } from "../../../core/regexp/linear-regexp.ts";
import { cleanPath } from "../../../core/uri/request-target.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { compileTemplate } from "../../../http/placeholders.ts";
import { escapePath, escapeQueryText } from "./escape-path.ts";
import type { RewriteConfig } from "./rewrite-config.ts";
import { compileQueryChanges } from "./rewrite-query.ts";
import { compileUri } from "./rewrite-uri.ts";
import { stripPrefix, stripSuffix } from "./strip-path.ts";

type Step = (exchange: Exchange) => void;

function replaceUpTo(text: string, find: string, replace: string, limit: number): string {
  const parts = text.split(find);
  if (limit <= 0 || parts.length <= limit + 1) {
    return parts.join(replace);
  }
  return [...parts.slice(0, limit), parts.slice(limit).join(find)].join(replace);
}

function setPath(exchange: Exchange, rawPath: string): void {
  exchange.rewrite({ rawPath: escapePath(rawPath.startsWith("/") ? rawPath : `/${rawPath}`) });
}

function compileStrip(text: string, strip: (path: string, part: string) => string): Step {
  const template = compileTemplate(text);
  return (exchange) => {
    const part = template(exchange);
    const path = cleanPath(exchange.rawPath, !part.includes("//"));
    const stripped = strip(path, part);
    if (stripped !== path) {
      setPath(exchange, cleanPath(stripped.startsWith("/") ? stripped : `/${stripped}`, false));
    }
  };
}

function compileSubstring(config: NonNullable<RewriteConfig["uri_substring"]>[number]): Step {
  const [find, replace] = [compileTemplate(config.find ?? ""), compileTemplate(config.replace ?? "")];
  const mergeSlashes = !(config.find ?? "").includes("//");
  return (exchange) => {
    const from = find(exchange);
    if (from !== "") {
      const change = (text: string) => replaceUpTo(text, from, replace(exchange), config.limit ?? 0);
      const query = change(exchange.query.slice(1));
      setPath(exchange, change(cleanPath(exchange.rawPath, mergeSlashes)));
      exchange.rewrite({ query: query === "" ? "" : `?${escapeQueryText(query)}` });
    }
  };
}

function compileRegexp(config: NonNullable<RewriteConfig["path_regexp"]>[number]): Step {
  const regexp = new LinearRegexp(config.find);
  const replace = compileTemplate(config.replace ?? "");
  return (exchange) => setPath(exchange, regexp.replaceAll(exchange.rawPath, replace(exchange)));
}

/**
 * Prepares changes of the request line: method, then URI, prefix, suffix, texts, regular expressions, query.
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
    const prefix = config.strip_path_prefix;
    steps.push(compileStrip(/^[/{]/.test(prefix) ? prefix : `/${prefix}`, stripPrefix));
  }
  if (config.strip_path_suffix) {
    steps.push(compileStrip(config.strip_path_suffix, stripSuffix));
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
