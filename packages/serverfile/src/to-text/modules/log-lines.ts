import { plainFields } from "../../modules/logging/encoders.ts";
import { maskFields } from "../../modules/logging/filters.ts";
import { samplingFields } from "../../modules/logging/read-log.ts";
import { fileFields, netFields } from "../../modules/logging/writers.ts";
import { inexpressible } from "../inexpressible.ts";
import { fieldLines } from "../lines/field-lines.ts";
import { type Line, line, lineWith, type Word } from "../lines/line.ts";
import { scalarWord } from "../lines/scalar-word.ts";
import type { Members } from "../members.ts";

/** `output file path { … }` and the like. @throws ServerError CONFIG_INEXPRESSIBLE for an unknown output */
function outputLine(writer: Members): Line {
  const name = writer.text("output") ?? "";
  switch (name) {
    case "file":
      return lineWith(["output", name, writer.text("filename") ?? ""], fieldLines(writer, fileFields));
    case "net":
      return lineWith(["output", name, writer.text("address") ?? ""], fieldLines(writer, netFields));
    case "stdout":
    case "stderr":
    case "discard":
      return line("output", name);
    default:
      throw inexpressible(writer.path, `there is no output ${name} in serverfiles`);
  }
}

/** `replace key value`, `hash key`, `delete key` in the block of a filter. @param nameKey the member with the key */
function actionLines(filter: Members, nameKey: string): Line[] {
  const actions = filter.take("actions");
  if (actions === null) {
    return [];
  }
  return (filter.children("actions") ?? []).map((action) => {
    const words = [action.text("type") ?? "", action.text(nameKey) ?? ""];
    const value = action.text("value");
    const isReplacement = words[0] === "replace";
    action.done("an action of a filter");
    return line(...words, ...(isReplacement || value !== undefined ? [value ?? ""] : []));
  });
}

/** The lines of a field and its filter. Several regular expressions for one field are several lines. */
function filterLines(name: string, filter: Members): Line[] {
  const kind = filter.text("filter") ?? "";
  const words: Word[] = [name, kind];
  const lines: Line[] = [];
  switch (kind) {
    case "query":
      lines.push(...actionLines(filter, "parameter"));
      break;
    case "cookie":
    case "set_cookie":
      lines.push(...actionLines(filter, "name"));
      break;
    case "ip_mask":
      lines.push(...fieldLines(filter, maskFields));
      break;
    case "regexp":
      words.push(filter.text("regexp") ?? "", filter.text("value") ?? "");
      break;
    case "multi_regexp":
      for (const operation of filter.children("operations") ?? []) {
        lines.push(line("regexp", operation.text("regexp") ?? "", operation.text("value") ?? ""));
        operation.done("a filter");
      }
      break;
    case "rename":
      words.push(filter.text("name") ?? "");
      break;
    case "replace":
      words.push(filter.text("value") ?? "");
      break;
  }
  filter.done("a filter");
  return [lineWith(words, lines)];
}

/** `format json { … }`; the encoder `filter` wraps another one. @param before `format` or `wrap` */
function formatLine(encoder: Members, before: string): Line {
  const name = encoder.text("format") ?? "";
  const lines = fieldLines(encoder, plainFields);
  const wrapped = encoder.child("wrap");
  if (wrapped !== undefined) {
    lines.push(formatLine(wrapped, "wrap"));
  }
  const fields = encoder.child("fields");
  if (fields !== undefined) {
    const inner =
      name === "filter"
        ? fields.childEntries().flatMap(([key, filter]) => filterLines(key, filter))
        : fields.entries().map(([key, value]) => line(key, scalarWord(value, fields.pathOf(key))));
    lines.push({ words: ["fields"], block: inner });
  }
  return lineWith([before, name], lines);
}

/** The lines of a log, without `include` and `exclude`. @param debug true when the option `debug` sets its level */
export function logLines(log: Members, debug: boolean): Line[] {
  const lines: Line[] = [];
  const writer = log.child("writer");
  if (writer !== undefined) {
    lines.push(outputLine(writer));
  }
  const encoder = log.child("encoder");
  if (encoder !== undefined) {
    lines.push(formatLine(encoder, "format"));
  }
  const level = log.text("level");
  if (level !== undefined && !(debug && level === "DEBUG")) {
    lines.push(line("level", level));
  }
  const sampling = log.child("sampling");
  if (sampling !== undefined) {
    lines.push({ words: ["sampling"], block: fieldLines(sampling, samplingFields) });
  }
  return lines;
}
