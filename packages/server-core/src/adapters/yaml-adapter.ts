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

/** The reader recurses: nesting without end is a fault of the call stack, and its words are about that. */
function reasonOf(message: string): string {
  return message
    .replace("Maximum call stack size exceeded", "nested too deeply")
    .replace(/; please use .*/, ", and a config is one");
}

/** YAML 1.2, one document. Anchors, aliases and merge keys (`<<`) are resolved. Source: yaml.org/spec/1.2.2 */
export const yamlAdapter: ConfigAdapter = {
  name: "yaml",
  aliases: ["x-yaml", "vnd.yaml"],
  fileEndings: [".yaml", ".yml"],
  async adapt(bytes, options) {
    const { isAlias, isScalar, LineCounter, parseDocument, visit } = await import("yaml"); // when it is needed: commands are to start fast
    const text = adapterText(bytes);
    const lines = new LineCounter();
    const at = (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    };
    const refuseLossyIntegers = (read: Document) =>
      visit(read, (_key, node) => {
        if (isScalar(node) && typeof node.value === "number") {
          const { source = "", value, range } = node;
          if (integerForm.test(source) && isLossyInteger(source, value)) {
            throw adapterError(lossyIntegerReason(source), range ? at(range[0]) : undefined, options);
          }
        }
      });
    let document: ReturnType<typeof parseDocument> | undefined;
    let result: JsonValue;
    let warnings: AdapterWarning[];
    try {
      document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
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
      // Values that were read but cannot be expressed: NaN, or an alias for nothing or for too much.
      const anchors = new Set<string>();
      let offset: number | undefined;
      visit(document, (_key, node) => {
        if (isAlias(node) ? !anchors.has(node.source) : isScalar(node) && isOdd(node.value)) {
          offset = (node as { range?: readonly number[] }).range?.[0];
          return visit.BREAK;
        }
        const { anchor } = node as { anchor?: string };
        if (anchor !== undefined) {
          anchors.add(anchor);
        }
        return undefined;
      });
      if (offset === undefined) {
        visit(document, {
          Alias: (_key, node) => {
            offset = node.range?.[0];
          },
        });
      }
      throw adapterError(
        reasonOf(messageOf(error)),
        offset === undefined ? undefined : at(offset),
        options,
        error,
      );
    }
    refuseLossyIntegers(document);
    return { result, warnings };
  },
};
