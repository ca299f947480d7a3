import { messageOf, ServerError } from "../errors.ts";
import { type AdapterWarning, adapterError, adapterText, type ConfigAdapter } from "./config-adapter.ts";
import { toJsonValue } from "./to-json-value.ts";

/** YAML 1.2, one document. Anchors, aliases and merge keys (`<<`) are resolved. Source: yaml.org/spec/1.2.2 */
export const yamlAdapter: ConfigAdapter = {
  name: "yaml",
  aliases: ["x-yaml", "vnd.yaml"],
  fileEndings: [".yaml", ".yml"],
  async adapt(bytes, options) {
    const { LineCounter, parseDocument } = await import("yaml"); // when it is needed: commands are to start fast
    const text = adapterText(bytes);
    const lines = new LineCounter();
    const at = (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    };
    try {
      const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
      const [fault] = document.errors;
      if (fault !== undefined) {
        throw adapterError(fault.message, at(fault.pos[0]), options, fault);
      }
      const warnings = document.warnings.map(({ message, pos }): AdapterWarning => {
        const file = options.filename === undefined ? {} : { file: options.filename };
        return { ...file, line: at(pos[0]).line, message };
      });
      return { result: toJsonValue(document.toJS({ maxAliasCount: 1_000 })), warnings };
    } catch (error) {
      if (error instanceof ServerError) {
        throw error;
      }
      // The reader recurses: nesting without end is a RangeError of the call stack.
      throw adapterError(messageOf(error), undefined, options, error);
    }
  },
};
