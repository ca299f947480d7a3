import { z } from "zod";
import { notYet } from "../core/modules/config-fields.ts";
import type { Exchange } from "./exchange.ts";
import { type HeaderList, removeHeaders, setHeader } from "./header-list.ts";
import { compileHeaderTemplate } from "./placeholders.ts";

const valuesSchema = z.record(z.string(), z.array(z.string()).nullable());

/** Fields that add to, set and delete headers. Source: the public model (Caddy 2.11), handler headers */
export const headerOperationsShape = {
  add: valuesSchema.nullish().describe("Values to add; placeholders allowed."),
  set: valuesSchema.nullish().describe("Values in place of any there are; placeholders allowed."),
  delete: z.array(z.string()).nullish().describe("Fields to delete; `X-*`, `*-X` and `*` allowed."),
  replace: notYet(),
};

export interface HeaderOperationsConfig {
  readonly add?: Readonly<Record<string, readonly string[] | null>> | null | undefined;
  readonly set?: Readonly<Record<string, readonly string[] | null>> | null | undefined;
  readonly delete?: readonly string[] | null | undefined;
}

function compileNamePattern(text: string): (lowerName: string) => boolean {
  const pattern = text.toLowerCase();
  if (pattern === "*") {
    return () => true;
  }
  if (pattern.startsWith("*")) {
    return (name) => name.endsWith(pattern.slice(1));
  }
  if (pattern.endsWith("*")) {
    return (name) => name.startsWith(pattern.slice(0, -1));
  }
  return (name) => name === pattern;
}

function compileValues(config: HeaderOperationsConfig["add"]) {
  return Object.entries(config ?? {}).map(([name, values]) => ({
    name,
    values: (values ?? []).map(compileHeaderTemplate),
  }));
}

/** Prepares header operations; they run in the order add, set, delete. */
export function compileHeaderOperations(
  config: HeaderOperationsConfig,
): (headers: HeaderList, exchange: Exchange) => void {
  const add = compileValues(config.add);
  const set = compileValues(config.set);
  const deletes = (config.delete ?? []).map(compileNamePattern);
  return (headers, exchange) => {
    for (const { name, values } of add) {
      for (const value of values) {
        headers.push(name, value(exchange));
      }
    }
    for (const { name, values } of set) {
      const [first, ...others] = values;
      if (first !== undefined) {
        setHeader(headers, name, first(exchange));
      }
      for (const value of others) {
        headers.push(name, value(exchange));
      }
    }
    if (deletes.length > 0) {
      removeHeaders(headers, (name) => deletes.some((matches) => matches(name)));
    }
  };
}
