import { eventNames, scopeName, scopeVersion } from "./event-text-sql.ts";

const otlpRules = "format IN ('otlp', 'zipkin')";

/**
 * Condition for values that are shown as tags although they are not attributes: service and format, and by OTLP's rules
 * kind, status, scope, trace state and event names.
 * @param key,value the tag to search for
 * @param valueSql SQL expression for the same value, such as a query parameter
 * @returns undefined for all other keys
 */
export function derivedTagCondition(key: string, value: string, valueSql: string): string | undefined {
  if (key === "service.name") {
    return `service = ${valueSql}`;
  }
  if (key === "internal.span.format") {
    return `toString(format) = ${valueSql}`;
  }
  const condition = value === "" ? undefined : otlpCondition(key, value, valueSql);
  return condition && `(${otlpRules} AND ${condition})`;
}

function otlpCondition(key: string, value: string, valueSql: string): string | undefined {
  switch (key) {
    case "span.kind":
      return value === "unspecified" ? undefined : `toString(kind) = ${valueSql}`;
    case "otel.status_code":
      return value === "OK" || value === "ERROR"
        ? `status = '${value === "OK" ? "ok" : "error"}'`
        : undefined;
    case "error":
      return value === "true" ? "status = 'error'" : undefined;
    case "otel.status_description":
      return `status_message = ${valueSql}`;
    case "otel.scope.name":
      return `${scopeName} = ${valueSql}`;
    case "otel.scope.version":
      return `${scopeVersion} = ${valueSql}`;
    case "w3c.tracestate":
      return `trace_state = ${valueSql}`;
    case "event":
      return `has(${eventNames}, ${valueSql})`;
    default:
      return undefined;
  }
}
