import type { LogValue } from "server-core/logging/log-entry";
import type { Exchange } from "./exchange.ts";

const extra = new WeakMap<Exchange, Map<string, LogValue | (() => LogValue)>>();

/** Adds a field to the request's line in the access log. @param value or what gives it when the line is written */
export function addLogField(exchange: Exchange, name: string, value: LogValue | (() => LogValue)): void {
  let fields = extra.get(exchange);
  if (fields === undefined) {
    fields = new Map();
    extra.set(exchange, fields);
  }
  fields.set(name, value);
}

/** The fields added by {@link addLogField}. */
export function* extraLogFields(exchange: Exchange): Generator<[name: string, value: LogValue]> {
  for (const [name, value] of extra.get(exchange) ?? []) {
    yield [name, typeof value === "function" ? value() : value];
  }
}
