import { plainFields, transformFields } from "../../modules/logging/encoders.ts";
import { maskFields } from "../../modules/logging/filters.ts";
import { samplingFields } from "../../modules/logging/read-log.ts";
import { fileFields, netFields } from "../../modules/logging/writers.ts";
import { block, type Fields, field, fieldLines, part, parts } from "../lines/field-lines.ts";
import { given, type Line, line, lineWith } from "../lines/line.ts";
import { scalarWord } from "../lines/scalar-word.ts";
import type { Members } from "../members.ts";

/** Outputs by name: the member for the word after the name, or "", and the lines of the block. */
const outputs: Readonly<Record<string, readonly [word: string, fields: Fields]>> = {
  discard: ["", {}],
  file: ["filename", fileFields],
  net: ["address", netFields],
  stderr: ["", {}],
  stdout: ["", {}],
};

/** Writes `output file path { … }` and similar. @throws ServerError CONFIG_INEXPRESSIBLE for an unknown output */
function outputLine(writer: Members, before: string): Line {
  const [name, [word, fields]] = writer.module("output", outputs, "output");
  const words = word === "" ? [] : [writer.text(word) ?? ""];
  return lineWith([before, name, ...words], fieldLines(writer, fields));
}

/** Writes `replace key value`, `hash key` or `delete key` in the block of a filter. */
function actionLine(action: Members): Line {
  const type = action.text("type") ?? "";
  const value = action.text("value");
  const key = action.text("parameter") ?? action.text("name") ?? "";
  return line(type, key, ...(type === "replace" ? [value ?? ""] : given(value)));
}

function operationLine(operation: Members, name: string): Line {
  return line(name, operation.text("regexp") ?? "", operation.text("value") ?? "");
}

/** Members of a filter that are written as words after its name. */
const filterWords: Readonly<Record<string, readonly string[]>> = {
  regexp: ["regexp", "value"],
  rename: ["name"],
  replace: ["value"],
};

/** Lines in the block of a filter. If a filter has no actions, its list is `null`. */
const filterFields: Fields = {
  ...maskFields,
  actions: {
    path: "actions",
    lines: (filter, key) => (filter.take(key) === null ? [] : (filter.children(key) ?? []).map(actionLine)),
  },
  regexp: parts("operations", operationLine),
};

/** Writes a field and its filter. */
function filterLine(name: string, filter: Members): Line {
  const kind = filter.text("filter") ?? "";
  const words = (filterWords[kind] ?? []).map((key) => filter.text(key) ?? "");
  return lineWith([name, kind, ...words], fieldLines(filter, filterFields));
}

/** `format json { … }`; the encoder `filter` contains another encoder. @param before `format` or `wrap` */
function formatLine(encoder: Members, before: string): Line {
  const name = encoder.text("format") ?? "";
  const template = encoder.text("template");
  const lines = fieldLines(encoder, {
    ...(name === "transform" || name === "formatted" ? transformFields : plainFields),
    wrap: part("wrap", formatLine),
    fields: part("fields", (fields, word) => ({
      words: [word],
      block:
        name === "filter"
          ? fields.childEntries().map(([key, filter]) => filterLine(key, filter))
          : fields.entries().map(([key, value]) => line(key, scalarWord(value, fields.pathOf(key)))),
    })),
  });
  return lineWith([before, name, ...given(template)], lines);
}

/**
 * Writes the lines of a log, except `include` and `exclude`. @param debug true: the option `debug` sets the level, so
 * no line is needed
 */
export function logLines(log: Members, debug: boolean): Line[] {
  return fieldLines(log, {
    output: part("writer", outputLine),
    format: part("encoder", formatLine),
    level: field("level", (members, key) => {
      const level = members.text(key) ?? "";
      return debug && level === "DEBUG" ? undefined : [level];
    }),
    sampling: block("sampling", samplingFields),
  });
}
