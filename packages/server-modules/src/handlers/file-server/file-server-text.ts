import type { ModuleText } from "serverfile/module-text";
import { fileServer as directive } from "./file-server-directive.ts";
import { fileServer as toText } from "./file-server-lines.ts";

export const fileServerText: ModuleText = { directive, toText };
