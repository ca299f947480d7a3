import type { AdapterWarning } from "../../core/adapters/config-adapter.ts";
import { formatServerfile } from "./format-serverfile.ts";

/** Tells of a text that differs from its usual formatting, with the first line that does; undefined when none does. */
export function formattingWarning(file: string, text: string): AdapterWarning | undefined {
  const given = text.replaceAll("\r\n", "\n");
  const formatted = formatServerfile(given);
  if (formatted === given) {
    return undefined;
  }
  let line = 1;
  for (let index = 0; index < given.length && given[index] === formatted[index]; index++) {
    if (given[index] === "\n") {
      line++;
    }
  }
  const message = "Serverfile input is not formatted; run 'server fmt --overwrite' to fix inconsistencies";
  return { file, line, message };
}
