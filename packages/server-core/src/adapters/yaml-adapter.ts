import type { Document } from "yaml";
import { messageOf } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { type AdapterWarning, adapterError, adapterText, type ConfigAdapter } from "./config-adapter.ts";
import { isLossyInteger, lossyIntegerReason } from "./lossy-integer.ts";
import { toJsonValue } from "./to-json-value.ts";

const integerForm = /^(?:[+-]?\d+|0x[\da-fA-F]+|0o[0-7]+)$/;

function isOdd(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/**
 * Explains the reader's message: endless nesting overflows the reader's call stack, and the reader reports only the
 * overflow.
 */
function reasonOf(message: string): string {
  return message
    .replace("Maximum call stack size exceeded", "nested too deeply")
    .replace(/; please use .*/, ", and a config is one");
}

/** The library, which is loaded on first use. */
type Yaml = typeof import("yaml");

/** @returns position of the first integer that a number cannot represent; undefined when there is none */
function lossyInteger(yaml: Yaml, document: Document): { source: string; offset?: number } | undefined {
  let found: { source: string; offset?: number } | undefined;
  yaml.visit(document, (_key, node) => {
    if (yaml.isScalar(node) && typeof node.value === "number") {
      const { source = "", value, range } = node;
      if (integerForm.test(source) && isLossyInteger(source, value)) {
        found = range ? { source, offset: range[0] } : { source };
        return yaml.visit.BREAK;
      }
    }
    return undefined;
  });
  return found;
}

/**
 * Finds the value that JSON cannot express: NaN, an infinity, or an alias without an anchor. Without such a value, the
 * fault is an alias that expands to too many values.
 * @returns position in the text; the position of the last alias when only aliases can be at fault
 */
function offsetOfFault(yaml: Yaml, document: Document): number | undefined {
  const anchors = new Set<string>();
  let offset: number | undefined;
  yaml.visit(document, (_key, node) => {
    if (yaml.isAlias(node) ? !anchors.has(node.source) : yaml.isScalar(node) && isOdd(node.value)) {
      offset = (node as { range?: readonly number[] }).range?.[0];
      return yaml.visit.BREAK;
    }
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) {
      anchors.add(anchor);
    }
    return undefined;
  });
  if (offset === undefined) {
    yaml.visit(document, {
      Alias: (_key, node) => {
        offset = node.range?.[0];
      },
    });
  }
  return offset;
}

/** YAML 1.2, one document. Anchors, aliases and merge keys (`<<`) are resolved. Source: yaml.org/spec/1.2.2 */
export const yamlAdapter: ConfigAdapter = {
  name: "yaml",
  aliases: ["x-yaml", "vnd.yaml"],
  fileEndings: [".yaml", ".yml"],
  async adapt(bytes, options) {
    const yaml = await import("yaml"); // loaded on first use: commands must start fast
    const text = adapterText(bytes);
    const lines = new yaml.LineCounter();
    const at = (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    };
    let document: Document | undefined;
    let result: JsonValue;
    let warnings: AdapterWarning[];
    try {
      document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
      const [fault] = document.errors;
      if (fault !== undefined) {
        throw adapterError(reasonOf(fault.message), at(fault.pos[0]), options, fault);
      }
      warnings = document.warnings.map(({ message, pos }): AdapterWarning => {
        const file = options.filename === undefined ? {} : { file: options.filename };
        return { ...file, line: at(pos[0]).line, message };
      });
      result = toJsonValue(document.toJS({ maxAliasCount: 1_000 }));
    } catch (error) {
      if (document === undefined || document.errors.length > 0) {
        throw error;
      }
      const offset = offsetOfFault(yaml, document);
      throw adapterError(
        reasonOf(messageOf(error)),
        offset === undefined ? undefined : at(offset),
        options,
        error,
      );
    }
    const lossy = lossyInteger(yaml, document);
    if (lossy !== undefined) {
      const place = lossy.offset === undefined ? undefined : at(lossy.offset);
      throw adapterError(lossyIntegerReason(lossy.source), place, options);
    }
    return { result, warnings };
  },
};
