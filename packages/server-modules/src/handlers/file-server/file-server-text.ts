import type { ModuleText } from "serverfile/module-text";
import { fileServer as directive } from "./file-server-directive.ts";
import { fileServer as toText } from "./file-server-lines.ts";

/** How serverfiles say it. */
export const fileServerText: ModuleText = { directive, toText };
