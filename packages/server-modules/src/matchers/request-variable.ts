import type { Exchange } from "http-engine/exchange";
import { compileTemplate } from "http-engine/placeholders";
import { jsonText } from "server-core/json/json-text";

/**
 * Compiles a key of the matchers `vars` and `vars_regexp`: a placeholder in braces, else a variable of the handler
 * `vars`.
 */
export function compileVariable(key: string): (exchange: Exchange) => string {
  if (!/^\{[^{}]*\}$/.test(key)) {
    return (exchange) => jsonText(exchange.vars.get(key) ?? null);
  }
  const template = compileTemplate(key);
  return (exchange) => {
    const value = template(exchange);
    return value === key ? "" : value;
  };
}
