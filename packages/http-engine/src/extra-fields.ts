import type { LogValue } from "server-core/logging/log-entry";
import type { Exchange } from "./exchange.ts";

interface ExtraField {
  /** The value, or a function that returns it when the line is written. */
  readonly value: LogValue | (() => LogValue);
  /** True: the handler adds the field after the inner handlers have run. */
  readonly isLate: boolean;
  /** Failure that error routes were handling when the field was added; undefined outside of error routes. */
  readonly error: Exchange["error"];
}

const extra = new WeakMap<Exchange, Map<string, ExtraField>>();

/** Adds a field to the request's line in the access log; of two fields with the same name, the later field wins. */
export function addLogField(exchange: Exchange, name: string, value: LogValue): void {
  setField(exchange, name, { value, isLate: false, error: exchange.error });
}

/**
 * Like {@link addLogField}, for a handler that adds its field after the inner handlers have run. If two such handlers
 * use one name, the outer handler wins; both win over fields that were added before. Error routes run after all other
 * handlers, so their fields win.
 * @param value read when the line is written
 */
export function addLateLogField(exchange: Exchange, name: string, value: () => LogValue): void {
  setField(exchange, name, { value, isLate: true, error: exchange.error });
}

function setField(exchange: Exchange, name: string, field: ExtraField): void {
  let fields = extra.get(exchange);
  if (fields === undefined) {
    fields = new Map();
    extra.set(exchange, fields);
  }
  const known = fields.get(name);
  if (known?.isLate !== true || known.error !== field.error) {
    fields.set(name, field);
  }
}

/** The fields added by {@link addLogField} and {@link addLateLogField}. */
export function* extraLogFields(exchange: Exchange): Generator<[name: string, value: LogValue]> {
  for (const [name, { value }] of extra.get(exchange) ?? []) {
    yield [name, typeof value === "function" ? value() : value];
  }
}
