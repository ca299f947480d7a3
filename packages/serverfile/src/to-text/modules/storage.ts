import type { Word } from "../lines/line.ts";
import type { Members } from "../members.ts";

/** `file_system root`. */
export function storageWords(storage: Members): Word[] {
  const name = storage.text("module") ?? "";
  const root = storage.text("root");
  return root === undefined ? [name] : [name, root];
}
