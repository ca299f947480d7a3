import { given, type Line, line } from "../lines/line.ts";
import type { Members } from "../members.ts";

/** `storage file_system root`. @param before word before the module's name */
export function storageLine(storage: Members, before: string): Line {
  return line(before, storage.text("module") ?? "", ...given(storage.text("root")));
}
