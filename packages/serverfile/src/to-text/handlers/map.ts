import type { JsonValue } from "server-core/json/json-value";
import { inexpressible } from "../inexpressible.ts";
import { line, type Word } from "../lines/line.ts";
import type { HandlerWriter } from "../routes/handler-writer.ts";
import { scalarWord } from "./scalar-word.ts";

function outputWord(value: JsonValue, path: string): Word {
  if (value === "-") {
    throw inexpressible(path, "the output - is none");
  }
  return value === null ? "-" : scalarWord(value, path);
}

/** `map`. */
export const map: HandlerWriter = (handler) => {
  const source = handler.text("source") ?? "";
  const destinations = handler.texts("destinations") ?? [];
  const mappings = (handler.children("mappings") ?? []).map((mapping) => {
    const regexp = mapping.text("input_regexp");
    const input = regexp === undefined ? (mapping.text("input") ?? "") : `~${regexp}`;
    const outputs = mapping.list("outputs") ?? [];
    mapping.done("a line of map");
    return line(
      input,
      ...outputs.map((each, index) => outputWord(each, `${mapping.pathOf("outputs")}/${index}`)),
    );
  });
  const defaults = handler.texts("defaults");
  const block = defaults === undefined ? mappings : [...mappings, line("default", ...defaults)];
  return { directive: "map", words: [source, ...destinations], block };
};
